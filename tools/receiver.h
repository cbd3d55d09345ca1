// SPDX-License-Identifier: BSD-3-Clause
//
// The receiving end of a benchmark: says who it is, then serves one sender, or one after another.
#pragma once

#include <functional>

#include "tools/report.h"
#include "tools/session.h"

namespace myri::tools {

// `serve` runs until its sender has finished. With `stay`, its failures are printed and the next sender is served.
void run_receiver(const std::string& tool, const PeerOptions& options, bool stay, Report& report,
                  const std::function<void(Session&)>& serve);

} // namespace myri::tools
