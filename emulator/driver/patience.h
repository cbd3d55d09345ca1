// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting in wall time for something that only other processes can bring about.
//
// Somebody who lets all others wait for long is named once on stderr; a run ends after its longest wall time.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "emulator/driver/event_loop.h"

namespace myri::emulator {

class Patience {
public:
    using Seconds = std::chrono::duration<double>;
    // `longest` 0: without an end.
    Patience(EventLoop& loop, Seconds longest, Seconds report_after);
    // Handles events until `done` or stopped(). `who` is asked for a line when this takes long.
    void wait(const std::function<bool()>& done, const std::function<std::string()>& who);
    // Handles what is there without waiting.
    void glance();
    // Ends all waits: somebody wants us to end, or the longest time is over (expired()).
    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_ || expired_; }
    bool expired() const { return expired_; }

private:
    using Clock = std::chrono::steady_clock;
    void look_at_clock();
    EventLoop& loop_;
    const Seconds longest_, report_after_;
    const Clock::time_point start_ = Clock::now();
    bool stopped_ = false, expired_ = false;
};

// Wall time for timeouts, from an arbitrary start.
int64_t wall_us();

// One line on stderr, "myri-fabric: TEXT", in one write.
void say(const std::string& text);

} // namespace myri::emulator
