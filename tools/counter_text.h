// SPDX-License-Identifier: BSD-3-Clause
//
// A line of mx_counters, in the form that programs which run it parse: the number stands behind the colon.
#pragma once

#include <cstdint>
#include <string>

namespace myri::tools {

// Label of a firmware counter by its index in FW_COUNTERS; "Counter N" for one that this build does not know.
std::string counter_label(size_t index);
// "    Packets sent:                                12 (0xc)"
std::string counter_line(const std::string& label, uint32_t value);

} // namespace myri::tools
