// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/virtual_process.h"

#include <algorithm>

namespace myri::emulator {

void VirtualProcess::ready(Time at) {
    clock_ = std::max(clock_, at);
    state_ = State::ready;
}

void VirtualProcess::park(Time until, Time period) {
    until_ = std::max(until, clock_);
    period_ = period;
    state_ = State::parked;
    if (until_ != NEVER)
        timer_ = scheduler_.at(until_, rank_, [this](Time now) {
            timer_ = {};
            ready(now);
        });
}

void VirtualProcess::ring_changed(Time at) {
    if (state_ != State::parked)
        return;
    Time resume = std::max(at, clock_);
    if (period_)
        resume = clock_ + (resume - clock_ + period_ - 1) / period_ * period_;
    if (resume >= until_)
        return; // the timer comes first
    scheduler_.cancel(timer_);
    timer_ = {};
    ready(resume);
}

} // namespace myri::emulator
