// SPDX-License-Identifier: BSD-3-Clause
//
// Where one process stands in virtual time. Pure bookkeeping: sockets and stores are its caller's.
//
//  running   it has our reply and acts; nothing else runs meanwhile
//  ready     it goes on when nobody is earlier than its clock
//  waiting   the driver or the card works for it; bounds nobody
//  parked    it sleeps until an event ring of its changes, or a time; bounds nobody
#pragma once

#include <string>

#include "emulator/clock/scheduler.h"

namespace myri::emulator {

class VirtualProcess {
public:
    enum class State { running, ready, waiting, parked };
    VirtualProcess(Scheduler& scheduler, Rank rank, Time start)
        : scheduler_(scheduler), rank_(rank), clock_(start) {}
    ~VirtualProcess() { scheduler_.cancel(timer_); }
    VirtualProcess(const VirtualProcess&) = delete;
    VirtualProcess& operator=(const VirtualProcess&) = delete;

    State state() const { return state_; }
    // NEVER when only an event can make it act.
    Time clock() const { return state_ == State::running || state_ == State::ready ? clock_ : NEVER; }
    // Where its own time stood last.
    Time last() const { return clock_; }
    Time until() const { return until_; }

    void run() { state_ = State::running; }
    // It has handed over with its clock at `now`, which is not before last().
    void handed_over(Time now) {
        clock_ = now;
        state_ = State::waiting;
    }
    // Goes on at `at`, or where it stands if that is later.
    void ready(Time at);
    // Resumes at the first of last() + n * period at or after a change of a ring, at `until` at the latest.
    // What had changed before it handed over it has seen.
    void park(Time until, Time period);
    void ring_changed(Time at);

private:
    Scheduler& scheduler_;
    const Rank rank_;
    State state_ = State::waiting;
    Time clock_;
    Time until_ = NEVER, period_ = 0;
    Scheduler::EventId timer_;
};

} // namespace myri::emulator
