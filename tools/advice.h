// SPDX-License-Identifier: BSD-3-Clause
//
// Says in words what went wrong in the library and what to do about it.
#pragma once

#include <string>

#include <myriexpress.h>

namespace myri::tools {

// "card n0:0 is dead: its firmware stopped"; empty: all cards of this host live.
std::string dead_card();
// "no board found: looked for ...": the text for `code`, with a remedy where there is one.
std::string explain(mx_return_t code);
// Throws Failure("cannot DOING: explanation") unless `code` is MX_SUCCESS.
void check(mx_return_t code, const std::string& doing);
// The same for a negative errno from a request to the driver.
void check_driver(int answer, const std::string& doing);

} // namespace myri::tools
