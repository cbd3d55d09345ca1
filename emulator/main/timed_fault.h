// SPDX-License-Identifier: BSD-3-Clause
//
// Faults that happen at a time of a run: --at TIME:HOST:FAULT[:VALUE].
#pragma once

#include <string>

#include "emulator/clock/scheduler.h"
#include "emulator/driver/inject.h"

namespace myri::emulator {

struct TimedFault {
    Time when = 0; // since the beginning of the run
    std::string host;
    NamedFault what;
};

// TIME is a number with ns, us, ms or s behind it. Throws std::runtime_error with what is possible.
TimedFault parse_timed_fault(const std::string& text);

} // namespace myri::emulator
