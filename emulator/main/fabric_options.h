// SPDX-License-Identifier: BSD-3-Clause
//
// What a fabric is made of, as the command line says it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "abi/faults.h"

namespace myri::emulator {

struct FabricOptions {
    unsigned hosts = 2;
    unsigned guests = 0; // further hosts, which are virtual machines
    std::string card = "M3F-PCIXD-2";
    std::string host_profile = "opteron-8131";
    std::string firmware; // file; empty: the one that was built or installed with this program
    uint64_t seed = 1;
    uint32_t watchdog_ms = 2000; // a card whose heartbeat stands still for so long is started anew
    bool idle_skipping = true;
    bool shuffle_stores = false;
    std::array<double, MYRI_FAULT_KINDS> faults{}; // probabilities
};

inline constexpr uint32_t WATCHDOG_MAX_MS = 3'600'000;
inline constexpr unsigned HOSTS_MAX = 32; // ports of the largest crossbar

} // namespace myri::emulator
