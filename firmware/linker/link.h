// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// The whole link, from object files to the bytes of image and map.
#ifndef MYRI_FIRMWARE_LINKER_LINK_H
#define MYRI_FIRMWARE_LINKER_LINK_H

#include <cstdint>
#include <string>
#include <vector>

namespace myri::linker {

constexpr uint32_t eeprom_size = 256; // the card's strings, in the last bytes of SRAM

struct LinkOptions {
    std::vector<std::string> objects; // paths, in link order
    uint32_t sram = 2u << 20;         // bytes of SRAM on the card, more than eeprom_size
    uint32_t limit = 0;               // first address that image and bss must leave alone; 0: none given
};

struct LinkResult {
    std::vector<uint8_t> image; // for address 0
    std::string map;            // text, see map_file.h
};

// The same objects in the same order give the same bytes. Throws std::runtime_error naming object, section
// and symbol of whatever does not link.
LinkResult link(const LinkOptions& options);

} // namespace myri::linker

#endif
