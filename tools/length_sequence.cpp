// SPDX-License-Identifier: BSD-3-Clause
#include "tools/length_sequence.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tools/failure.h"

namespace myri::tools {

uint64_t next_length(uint64_t length, const LengthRule& rule) {
    uint64_t next = length + rule.increment;
    if (rule.multiplier > 0) {
        double product = static_cast<double>(length) * rule.multiplier;
        // Beyond every end; the conversion of a larger product would be undefined.
        next = product > 2.0 * static_cast<double>(LENGTH_MAX) ? 2 * LENGTH_MAX : static_cast<uint64_t>(product);
    }
    return next > length ? next : length + 1;
}

std::vector<uint32_t> lengths_of(const LengthRule& rule) {
    std::vector<uint32_t> lengths;
    for (uint64_t length = rule.start; length < rule.end && length <= LENGTH_MAX; length = next_length(length, rule))
        lengths.push_back(static_cast<uint32_t>(length));
    return lengths;
}

std::vector<uint32_t> lengths_in_file(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        throw Failure(fmt::format("cannot read the lengths in {}: {}", path, std::strerror(errno)));
    std::vector<uint32_t> lengths;
    std::string line;
    for (int number = 1; std::getline(file, line); number++) {
        std::istringstream words(line.substr(0, line.find('#')));
        for (std::string word; words >> word;) {
            uint32_t length = 0;
            auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), length);
            if (error != std::errc() || end != word.data() + word.size())
                throw Failure(fmt::format("{}:{}: '{}' is not a length from 0 to {}", path, number, word, LENGTH_MAX));
            lengths.push_back(length);
        }
    }
    if (lengths.empty())
        throw Failure(fmt::format("{} holds no length", path));
    return lengths;
}

} // namespace myri::tools
