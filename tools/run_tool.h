// SPDX-License-Identifier: BSD-3-Clause
//
// The frame around a tool's work: turns how it ended into text on stderr and an exit code.
#pragma once

#include <functional>

#include "tools/report.h"

namespace myri::tools {

// Runs `work`; whatever it reported before a failure or SIGINT is still printed. Returns the exit code.
int run_tool(const std::string& name, Report& report, const std::function<void()>& work);

} // namespace myri::tools
