// SPDX-License-Identifier: BSD-3-Clause
//
// The board's identity strings, as an I/O reset places them into the last 256 bytes of SRAM.
#pragma once

#include <array>
#include <cstdint>

#include "abi/lanai.h"
#include "emulator/nic/card_profile.h"

namespace myri::emulator {

// NUL-terminated strings SN= MAC= PC= PN= PT: PV:, then an empty one. `mac` has 48 bits.
std::array<uint8_t, LANAI_EEPROM_SIZE> eeprom_strings(const CardProfile& profile, uint64_t mac,
                                                      uint32_t serial);

} // namespace myri::emulator
