// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// The map file: one line a symbol, `ADDRESS SIZE TYPE NAME`, sorted by address. Address is 8 hexadecimal
// digits, size decimal bytes, type T text, R read-only data, D data, B bss. Absolute symbols have no place
// and no line.
#ifndef MYRI_FIRMWARE_LINKER_MAP_FILE_H
#define MYRI_FIRMWARE_LINKER_MAP_FILE_H

#include "firmware/linker/layout.h"
#include "firmware/linker/symbols.h"

#include <deque>
#include <string>

namespace myri::linker {

// The text of the map, with the linker's own symbols __bss_start, __bss_end, __image_end and
// __constants_end.
std::string map_text(std::deque<ObjectFile>& objects, const Layout& layout);

} // namespace myri::linker

#endif
