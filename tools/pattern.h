// SPDX-License-Identifier: BSD-3-Clause
//
// Message contents that can be checked.
//
// Each byte depends on its position, on the message's number and on a seed, so that lost, repeated, swapped or
// shifted data is found as well as damaged data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace myri::tools {

struct PatternKey {
    uint64_t seed;
    uint64_t message; // number of the message, different for the two directions
};

struct Mismatch {
    size_t offset;
    uint8_t expected;
    uint8_t got;
};

void fill_pattern(std::span<uint8_t> bytes, PatternKey key);
// The first byte that differs from what fill_pattern(bytes, key) writes.
std::optional<Mismatch> find_mismatch(std::span<const uint8_t> bytes, PatternKey key);

} // namespace myri::tools
