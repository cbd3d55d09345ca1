// SPDX-License-Identifier: BSD-3-Clause
//
// SIGINT, SIGTERM and SIGHUP as events: the fabric ends in order and leaves nothing behind.
#pragma once

#include <functional>

#include "emulator/driver/event_loop.h"

namespace myri::emulator {

class StopSignal {
public:
    // Blocks the signals for good. Throws std::system_error.
    StopSignal(EventLoop& loop, std::function<void()> stop);
    ~StopSignal();
    // The signal that came, 0 for none.
    int number() const { return number_; }

private:
    EventLoop& loop_;
    FileDescriptor fd_;
    int number_ = 0;
};

} // namespace myri::emulator
