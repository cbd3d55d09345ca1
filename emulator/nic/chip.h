// SPDX-License-Identifier: BSD-3-Clause
//
// What the units of the chip (DMA engine, ports, timers, interrupts) need from the card around them.
//
// The processor may lag behind (idle firmware) when an event changes something that the firmware can see:
// at() brings it to the event's time first and lets it look again. An I/O reset drops all pending at()s.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "emulator/clock/scheduler.h"
#include "emulator/nic/card_profile.h"

namespace myri::emulator {

class BufferFaults;
class Interrupts;
class PacketObserver;

// Core clock cycles as times, by integer arithmetic: no drift, and cycle_at(time_of(n)) == n.
class ChipClock {
public:
    explicit ChipClock(uint64_t khz) : khz_(khz) {}
    // When cycle n begins; khz cycles last 1 ms.
    Time time_of(uint64_t cycle) const {
        return cycle / khz_ * milliseconds(1) + cycle % khz_ * milliseconds(1) / khz_;
    }
    // The first cycle that does not begin before `time`.
    uint64_t cycle_at(Time time) const {
        return time / milliseconds(1) * khz_ +
               (time % milliseconds(1) * khz_ + milliseconds(1) - 1) / milliseconds(1);
    }

private:
    uint64_t khz_;
};

class Chip {
public:
    virtual ~Chip() = default;
    virtual const CardProfile& profile() const = 0;
    virtual std::span<uint8_t> sram() = 0;
    virtual Interrupts& interrupts() = 0;
    virtual BufferFaults& buffer_faults() = 0;
    virtual PacketObserver* observer() = 0; // or null
    // Brings the processor to `now`; if it was idle, it looks again afterwards.
    virtual void touch(Time now) = 0;
    // Bytes of SRAM were changed by somebody else than the processor.
    virtual void sram_changed(uint32_t offset, uint32_t bytes) = 0;
    // Bytes of SRAM are read by somebody else than the processor: sees bad parity.
    virtual void sram_read(Time now, uint32_t offset, uint32_t bytes) = 0;
    // Runs `action` at `when`, unless an I/O reset comes first. `visible`: touch() before it.
    virtual Scheduler::EventId at(Time when, std::function<void(Time)> action, bool visible = true) = 0;
    virtual void cancel(const Scheduler::EventId& event) = 0;
    // `now` plus a number of core cycles.
    virtual Time after(Time now, uint32_t cycles) const = 0;

    bool inside_sram(uint64_t offset, uint64_t bytes) { return offset + bytes <= sram().size(); }
    uint32_t sram_word(uint32_t offset);
    void set_sram_word(uint32_t offset, uint32_t value);
};

// Big-endian words, as the card keeps them.
inline uint32_t word_of(const uint8_t* p) {
    return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}
inline void put_word(uint8_t* p, uint32_t value) {
    for (int i = 0; i < 4; i++)
        p[i] = static_cast<uint8_t>(value >> (24 - 8 * i));
}
inline uint32_t Chip::sram_word(uint32_t offset) {
    return word_of(&sram()[offset]);
}
inline void Chip::set_sram_word(uint32_t offset, uint32_t value) {
    put_word(&sram()[offset], value);
    sram_changed(offset, 4);
}

} // namespace myri::emulator
