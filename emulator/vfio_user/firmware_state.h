// SPDX-License-Identifier: BSD-3-Clause
//
// What can be told from SRAM of a firmware that somebody else has loaded. A guest can write anything there, so it
// decides nothing but how often the emulator looks at the card.
#pragma once

#include <cstdint>
#include <span>

namespace myri::emulator::vfio {

// It has taken its parameters and runs.
bool firmware_runs(std::span<const uint8_t> sram);
// Address of its idle loop, 0 for none; only while it runs.
uint32_t firmware_idle_loop(std::span<const uint8_t> sram);
// A process may store requests into the card at any time.
bool any_endpoint_open(std::span<const uint8_t> sram);

} // namespace myri::emulator::vfio
