// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/clock/timeline.h"

#include <algorithm>

namespace myri::emulator {

void Timeline::remove(Actor& actor) { std::erase(actors_, &actor); }

bool Timeline::step(Time until) {
    Actor* first = nullptr;
    Time first_clock = NEVER;
    for (Actor* actor : actors_) {
        const Time clock = actor->clock();
        if (clock < first_clock) {
            first = actor;
            first_clock = clock;
        }
    }
    const Time event = scheduler_.next();
    // An event at the same time as an actor's clock comes first: what starts at T sees what happened at T.
    if (event <= first_clock) {
        if (event == NEVER || event > until)
            return false;
        scheduler_.run_next();
        return true;
    }
    if (first_clock >= until)
        return false;
    // Never past `until`: what the caller does then happens at that time, and nobody may be ahead of it.
    Time limit = std::min(event, until);
    for (Actor* actor : actors_) {
        const Time clock = actor == first ? NEVER : actor->clock();
        if (clock != NEVER)
            limit = std::min(limit, clock + actor->lookahead());
    }
    first->run(limit);
    return true;
}

void Timeline::run_until(Time until) {
    while (step(until)) {
    }
    if (until != NEVER)
        scheduler_.pass(until);
}

Time Timeline::front() const {
    Time front = scheduler_.next();
    for (const Actor* actor : actors_)
        front = std::min(front, actor->clock());
    return front;
}

} // namespace myri::emulator
