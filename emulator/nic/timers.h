// SPDX-License-Identifier: BSD-3-Clause
//
// RTC and the three interval timers: 0.5 us a tick, all on one phase that starts at time 0.
//
// Values are computed from the time when they are read. Writing ITn arms it: the tick on which it passes from
// 0 to 0xffffffff sets TIMEn_INT, once; it keeps counting down.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/nic/chip.h"

namespace myri::emulator {

class Timers {
public:
    static constexpr unsigned COUNT = 3;
    explicit Timers(Chip& chip) : chip_(chip) {}

    uint32_t rtc(Time now) const;
    void set_rtc(Time now, uint32_t value);
    uint32_t interval(Time now, unsigned n) const;
    void set_interval(Time now, unsigned n, uint32_t value);
    void reset(); // counters to 0, nothing armed

private:
    Chip& chip_;
    uint64_t rtc_offset_ = 0;
    std::array<uint64_t, COUNT> zero_tick_{}; // the tick at which the timer is 0
    std::array<Scheduler::EventId, COUNT> expiry_{};
};

} // namespace myri::emulator
