// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// Turns placed sections into the bytes of the image.
//
// Concepts: a relocation puts symbol + addend into a field of one big-endian word; a value that does not fit
// is an error, never cut. Besides, every `add %pc,0x10,%rca` (the compiler's way to form a return address)
// becomes `mov ADDRESS,%rca`, because chips differ in what reading pc yields.
#ifndef MYRI_FIRMWARE_LINKER_RELOCATION_H
#define MYRI_FIRMWARE_LINKER_RELOCATION_H

#include "firmware/linker/layout.h"
#include "firmware/linker/symbols.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace myri::linker {

// `word` with `value` in the field that relocation `kind` names. Throws std::runtime_error with the value and
// the allowed range, for an unknown kind, and for a word that is no instruction with that field.
uint32_t relocated(uint32_t word, uint32_t kind, uint32_t value);

// The image: layout.image_end bytes from address 0. Throws std::runtime_error naming object, section and
// symbol.
std::vector<uint8_t> build_image(std::deque<ObjectFile>& objects, const Symbols& symbols,
                                 const Layout& layout);

} // namespace myri::linker

#endif
