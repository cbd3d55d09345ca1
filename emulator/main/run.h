// SPDX-License-Identifier: BSD-3-Clause
//
// `myri-fabric run`: a fabric that lives as long as the commands that use it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulator/main/fabric_options.h"
#include "emulator/main/timed_fault.h"

namespace myri::emulator {

struct RunOptions {
    FabricOptions fabric;
    std::vector<std::pair<std::string, std::string>> on; // host or "all", command
    std::vector<TimedFault> at;
    bool free = false;
    bool statistics = false;
    double longest_s = 600;    // wall time
    double report_after_s = 30; // wall time that somebody may let all others wait unnamed
};

// The exit status: that of the last --on (128 + n for a signal; of `all` the first that is not 0), or 1 if the run
// could not end. Throws std::runtime_error for bad input.
int run(const RunOptions& options);

} // namespace myri::emulator
