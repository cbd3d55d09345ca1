// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/eeprom.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace myri::emulator {

std::array<uint8_t, LANAI_EEPROM_SIZE> eeprom_strings(const CardProfile& profile, uint64_t mac,
                                                      uint32_t serial) {
    char address[18];
    snprintf(address, sizeof address, "%02x:%02x:%02x:%02x:%02x:%02x", unsigned(mac >> 40 & 0xff),
             unsigned(mac >> 32 & 0xff), unsigned(mac >> 24 & 0xff), unsigned(mac >> 16 & 0xff),
             unsigned(mac >> 8 & 0xff), unsigned(mac & 0xff));
    std::string all;
    for (const std::string& entry :
         {"SN=" + std::to_string(serial), "MAC=" + std::string(address), "PC=" + profile.product_code,
          "PN=" + profile.part_number, std::string("PT:2005-06-01"), std::string("PV:2005-06-01")})
        all += entry + '\0';
    std::array<uint8_t, LANAI_EEPROM_SIZE> bytes{};
    if (all.size() >= bytes.size()) // the profile's limits keep it below
        throw std::logic_error("EEPROM strings of " + std::to_string(all.size()) +
                               " bytes: must be below 256");
    std::copy(all.begin(), all.end(), bytes.begin());
    return bytes;
}

} // namespace myri::emulator
