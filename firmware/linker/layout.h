// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// Where every live section goes in SRAM.
//
// Concepts: .text.start stands at 0, the reset vector; a section named .at.HEXADDR at that address; the
// others flow around those in the order text, read-only data, data, each in the order of the command line.
// The bss of all objects is one block, so that start-up code can clear __bss_start..__bss_end without
// touching anything else. The image is everything up to the last byte that is not bss. Nothing writes the text and the
// read-only data, which lie below __constants_end with the fixed sections between them.
#ifndef MYRI_FIRMWARE_LINKER_LAYOUT_H
#define MYRI_FIRMWARE_LINKER_LAYOUT_H

#include "firmware/linker/object_file.h"

#include <deque>

namespace myri::linker {

struct Layout {
    uint32_t image_end = 0; // bytes in the image file, a multiple of 4 like those below
    uint32_t constants_end = 0;
    uint32_t bss_start = 0;
    uint32_t bss_end = 0;
};

// Sets Section::address of all live sections. No section may reach beyond `limit` (bytes, a multiple of 4,
// the first address that is not the image's); `limit_name` says in the error what is there. Throws
// std::runtime_error naming both parties of an overlap.
Layout place_sections(std::deque<ObjectFile>& objects, uint32_t limit, const char* limit_name);

} // namespace myri::linker

#endif
