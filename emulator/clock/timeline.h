// SPDX-License-Identifier: BSD-3-Clause
//
// The event loop: runs processors and processes (actors) and events in one order of virtual time.
//
// An actor has a clock of its own and is run ahead of the others only as far as nobody can affect it: up to the
// next event and up to every other actor's clock plus that actor's lookahead (the shortest time in which it can
// reach anybody else). An actor that cannot act by itself until an event touches it (a parked process, an idle
// card) has the clock NEVER and bounds nobody.
#pragma once

#include <vector>

#include "emulator/clock/scheduler.h"

namespace myri::emulator {

class Actor {
public:
    virtual ~Actor() = default;
    // Where this actor's own time stands, or NEVER when only an event can make it act.
    virtual Time clock() const = 0;
    // The shortest time from an act of this actor to an effect on another one.
    virtual Time lookahead() const = 0;
    // Acts from clock() up to `limit`, which is above clock(). It may stop early (it must, once it has
    // scheduled an event before `limit`), but it must get further than clock() or become NEVER.
    virtual void run(Time limit) = 0;
};

class Timeline {
public:
    explicit Timeline(Scheduler& scheduler) : scheduler_(scheduler) {}
    void add(Actor& actor) { actors_.push_back(&actor); }
    void remove(Actor& actor);
    // Runs one slice of one actor or one event, whichever is first, unless that would be after `until`.
    // False if there is nothing left to do up to then.
    bool step(Time until = NEVER);
    // step() until it returns false; then the scheduler's now() is `until`.
    void run_until(Time until);
    // The earliest time at which anything can still happen; NEVER if nothing can.
    Time front() const;

private:
    Scheduler& scheduler_;
    std::vector<Actor*> actors_;
};

} // namespace myri::emulator
