// SPDX-License-Identifier: BSD-3-Clause
//
// In what pieces and in which order a process's stores reach the bus.
//
// Normally each record leaves as write-combined bursts of one 64-byte line. A write-combining CPU promises no order
// between two barriers, so a fault mode delivers what stands between them in 8-byte units in random order.
#pragma once

#include <optional>
#include <random>

#include "emulator/driver/clock_page.h"

namespace myri::emulator {

class StoreOrder {
public:
    // With a seed: the fault mode.
    explicit StoreOrder(std::optional<uint64_t> shuffle_seed) {
        if (shuffle_seed)
            random_.emplace(*shuffle_seed);
    }
    // Bursts in the order in which they leave, barriers taken out. Times do not fall.
    std::vector<Store> bursts(const std::vector<Store>& stores);

private:
    std::optional<std::mt19937_64> random_;
};

} // namespace myri::emulator
