// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/timed_fault.h"

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace myri::emulator {
namespace {

constexpr double LATEST_S = 1e6;

Time parse_time(const std::string& text) {
    static constexpr struct {
        const char* name;
        double seconds;
    } UNITS[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    for (const auto& unit : UNITS)
        if (end != text.c_str() && std::string(end) == unit.name && number >= 0 && number * unit.seconds <= LATEST_S)
            return static_cast<Time>(std::llround(number * unit.seconds * 1e12));
    throw std::runtime_error("--at: time " + text + ": a number from 0s to 1000000s with ns, us, ms or s behind it is "
                                                    "possible");
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts{""};
    for (const char c : text)
        if (c == ':')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

} // namespace

TimedFault parse_timed_fault(const std::string& text) {
    const std::vector<std::string> parts = split(text);
    if (parts.size() < 3 || parts.size() > 4)
        throw std::runtime_error("--at " + text + ": must be TIME:HOST:FAULT or TIME:HOST:FAULT:VALUE");
    return {parse_time(parts[0]), parts[1],
            parse_fault(parts[2], parts.size() == 4 ? std::optional(parts[3]) : std::nullopt)};
}

} // namespace myri::emulator
