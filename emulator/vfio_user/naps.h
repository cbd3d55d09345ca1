// SPDX-License-Identifier: BSD-3-Clause
//
// How long the emulator may look away from cards of guests, whose stores into SRAM it does not notice.
//
// Each look that finds nothing makes the next nap longer. With open endpoints a request then waits at most
// LONGEST_US; without, only the driver can want something, and it is in no hurry.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/vfio_user/guest_host.h"

namespace myri::emulator {

class Naps {
public:
    static constexpr int64_t SHORTEST_US = 20, LONGEST_US = 200, COMMANDS_US = 10'000;

    // Something happened.
    void awake() { length_ = SHORTEST_US; }
    // Length of the next nap in microseconds; -1: until something happens by itself.
    int64_t next(GuestHost::Watch watch) {
        if (watch == GuestHost::Watch::none)
            return -1;
        const int64_t longest = watch == GuestHost::Watch::requests ? LONGEST_US : COMMANDS_US;
        const int64_t now = std::min(length_, longest);
        length_ = std::min(2 * now, longest);
        return now;
    }

private:
    int64_t length_ = SHORTEST_US;
};

} // namespace myri::emulator
