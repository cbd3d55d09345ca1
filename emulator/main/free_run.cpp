// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/free_run.h"

#include <sched.h>

#include <algorithm>

namespace myri::emulator {
namespace {

constexpr unsigned STEPS = 256;            // of the timeline between two looks at the sockets
constexpr int64_t SPIN_US = 50;            // of nothing before we sleep
constexpr int LONGEST_SLEEP_MS = 500;      // so that the longest wall time is kept
constexpr Time LAG = microseconds(100);    // how far simulated time may fall behind before it gives up catching up

} // namespace

FreeRun::FreeRun(Machines& machines, DriverService& service, EventLoop& loop, Patience& patience)
    : machines_(machines), service_(service), loop_(loop), patience_(patience), guests_(machines.guests()),
      present_(machines.booted()), anchor_(machines.booted()), anchor_wall_(wall_us()) {
    service_.set_now([this] { return present(); });
    for (GuestHost* guest : guests_)
        guest->set_now([this] { return present(); });
}

FreeRun::~FreeRun() {
    service_.set_now({});
    for (GuestHost* guest : guests_)
        guest->set_now({});
}

Time FreeRun::wall_time() const { return anchor_ + microseconds(static_cast<uint64_t>(wall_us() - anchor_wall_)); }

// Lets the simulation follow wall time, by LAG at most: a card that is slower than wall time must not take longer and
// longer to follow the time that it took before, while sockets wait.
void FreeRun::advance() {
    Timeline& timeline = machines_.timeline();
    Time goal = wall_time();
    const Time begin = std::max(present_, std::min(timeline.front(), goal));
    if (goal > begin + LAG) {
        goal = anchor_ = begin + LAG;
        anchor_wall_ = wall_us();
    }
    for (unsigned steps = 0; steps < STEPS && timeline.step(goal);)
        steps++;
    present_ = std::max({present_, machines_.scheduler().now(), std::min(timeline.front(), goal)});
}

// Nothing is going on but timers, and what cards find out by themselves.
bool FreeRun::quiet() const {
    const Time next = machines_.scheduler().next();
    return next == NEVER || next > present_ + LAG;
}

void FreeRun::touch_cards() {
    for (Card* card : machines_.cards())
        if (card->idle())
            card->touch(present_);
}

// True if one has made an access that we noticed.
bool FreeRun::look_at_guests() {
    bool activity = false;
    watch_ = GuestHost::Watch::none;
    for (GuestHost* guest : guests_) {
        watch_ = std::max(watch_, guest->look());
        activity |= guest->take_activity();
    }
    return activity;
}

void FreeRun::check_waits() {
    const int64_t left = service_.check_waits();
    wait_over_ = left < 0 ? -1 : wall_us() + left;
}

// Called when all was quiet for a while. False if a card has something to do.
bool FreeRun::sleep() {
    service_.set_asleep(true);
    // Whoever published a slot before it could see the flag is seen now; whoever does it later asks to be woken.
    bool idle = true;
    for (Card* card : machines_.cards())
        idle &= card->look(present_);
    check_waits();
    if (idle && quiet() && !service_.take_activity()) {
        int64_t us = LONGEST_SLEEP_MS * 1000;
        const Time next = machines_.scheduler().next();
        const Time now = wall_time();
        if (next != NEVER)
            us = std::min<int64_t>(us, next > now ? static_cast<int64_t>((next - now) / 1'000'000) : 0);
        if (wait_over_ >= 0)
            us = std::clamp<int64_t>(wait_over_ - wall_us(), 0, us);
        if (const int64_t nap = naps_.next(watch_); nap >= 0)
            us = std::min(us, nap);
        loop_.once_us(us);
    }
    service_.set_asleep(false);
    return idle;
}

void FreeRun::until(const std::function<bool()>& over) {
    int64_t quiet_since = -1;
    bool napping = false; // sleep() looks first
    while (!over() && !patience_.stopped()) {
        patience_.glance();
        const bool guest_activity = look_at_guests();
        if (guest_activity || (!napping && (watch_ == GuestHost::Watch::requests || service_.any_endpoint())))
            touch_cards();
        advance();
        const bool activity = service_.take_activity() || guest_activity;
        if (activity || (wait_over_ >= 0 && wall_us() >= wait_over_))
            check_waits();
        const Time last = std::exchange(last_event_, machines_.scheduler().now());
        if (activity || last != last_event_) {
            quiet_since = -1;
            napping = false;
            naps_.awake();
            continue;
        }
        if (!quiet())
            continue;
        const int64_t now = wall_us();
        quiet_since = quiet_since < 0 ? now : quiet_since;
        napping = now - quiet_since >= SPIN_US;
        if (!napping) {
            sched_yield();
        } else if (!sleep()) {
            quiet_since = -1;
            napping = false;
        }
    }
}

} // namespace myri::emulator
