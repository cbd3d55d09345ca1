// SPDX-License-Identifier: BSD-3-Clause
//
// Virtual time and the queue of events that happen in it.
//
// Time is counted in picoseconds from the start of the run. Everything that is not a processor or a process
// (DMA bursts, packets, timers) is an event. Two events at the same time run in the order of their ranks, then
// in the order in which their rank scheduled them; both are independent of how far processors were run ahead,
// so a run is repeatable. Not thread-safe: one thread owns a simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

namespace myri::emulator {

using Time = uint64_t; // picoseconds
inline constexpr Time NEVER = ~Time{0};
constexpr Time nanoseconds(uint64_t n) { return n * 1000; }
constexpr Time microseconds(uint64_t n) { return n * 1'000'000; }
constexpr Time milliseconds(uint64_t n) { return n * 1'000'000'000; }

// Who schedules: host n has ranks n * RANKS_PER_HOST and up, the fabric those from FABRIC_RANK.
using Rank = uint32_t;
inline constexpr Rank RANKS_PER_HOST = 8;
inline constexpr Rank FABRIC_RANK = 1u << 24;
// Of looks that change nothing unless they find a failure, and then nothing that a process sees soon.
inline constexpr Rank WATCH_RANK = ~0u;

class Scheduler {
public:
    using Action = std::function<void(Time)>;
    struct EventId {
        Time when = NEVER;
        Rank rank = 0;
        uint64_t sequence = 0;
        auto operator<=>(const EventId&) const = default;
    };

    // Runs `action(when)` at `when`, which must not be before now().
    EventId at(Time when, Rank rank, Action action);
    // True if the event was still pending. A default-made EventId is never pending.
    bool cancel(const EventId& id);
    // Time of the earliest pending event, or NEVER.
    Time next() const { return queue_.empty() ? NEVER : queue_.begin()->first.when; }
    // The same without looks (WATCH_RANK).
    Time next_effect() const;
    // Time of the event that runs now or ran last, or the time last passed.
    Time now() const { return now_; }
    // Nothing is due up to `when`: time stands there now. Never goes back.
    void pass(Time when) { now_ = when > now_ ? when : now_; }
    // Runs the earliest event; there must be one.
    void run_next();
    size_t pending() const { return queue_.size(); }

private:
    std::map<EventId, Action> queue_;
    std::map<Rank, uint64_t> sequences_;
    Time now_ = 0;
};

} // namespace myri::emulator
