// SPDX-License-Identifier: BSD-3-Clause
//
// The message lengths that a benchmark runs through.
//
// Either a rule (start, end, step) or a file of lengths. The rule's next length is length * multiplier if a
// multiplier is given, else length + increment; a step that would not grow adds 1, so 0 with multiplier 2 gives
// 0, 1, 2, 4, 8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace myri::tools {

inline constexpr uint64_t LENGTH_MAX = 0xffffffff; // bytes in one MX message

struct LengthRule {
    uint64_t start = 0;
    uint64_t end = 128;     // exclusive, or inclusive where a tool says so
    uint64_t increment = 1;
    double multiplier = 0;  // 0: use the increment
};

// The length that follows; always larger than `length`.
uint64_t next_length(uint64_t length, const LengthRule& rule);
// All lengths from start up to but not including end.
std::vector<uint32_t> lengths_of(const LengthRule& rule);
// Lengths separated by white space, # starts a comment. Throws Failure naming file, line and what is wrong.
std::vector<uint32_t> lengths_in_file(const std::string& path);

} // namespace myri::tools
