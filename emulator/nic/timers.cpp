// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/timers.h"

#include "abi/lanai.h"
#include "emulator/nic/interrupts.h"

namespace myri::emulator {
namespace {

constexpr Time TICK = nanoseconds(LANAI_TIMER_TICK_NS);

} // namespace

uint32_t Timers::rtc(Time now) const {
    return static_cast<uint32_t>(now / TICK + rtc_offset_);
}

void Timers::set_rtc(Time now, uint32_t value) {
    rtc_offset_ = value - now / TICK;
}

uint32_t Timers::interval(Time now, unsigned n) const {
    return static_cast<uint32_t>(zero_tick_[n] - now / TICK);
}

void Timers::set_interval(Time now, unsigned n, uint32_t value) {
    chip_.cancel(expiry_[n]);
    zero_tick_[n] = now / TICK + value;
    expiry_[n] = chip_.at((zero_tick_[n] + 1) * TICK,
                          [this, n](Time when) { chip_.interrupts().latch(when, LANAI_ISR_TIME(n)); });
}

void Timers::reset() {
    rtc_offset_ = 0;
    for (unsigned n = 0; n < COUNT; n++) {
        chip_.cancel(expiry_[n]);
        expiry_[n] = {};
        zero_tick_[n] = 0;
    }
}

} // namespace myri::emulator
