// SPDX-License-Identifier: BSD-3-Clause
#include "tools/pattern.h"

#include <algorithm>
#include <cstring>

namespace myri::tools {
namespace {

// A mixer in which each input bit reaches every output bit (finalizer constants of SplitMix64).
uint64_t mix(uint64_t v) {
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
}

class Words {
public:
    explicit Words(PatternKey key) : base_(mix(key.seed * 0x9e3779b97f4a7c15u + mix(key.message + 1))) {}
    uint64_t at(size_t word) const { return mix(base_ + 0x9e3779b97f4a7c15u * (word + 1)); }

private:
    uint64_t base_;
};

} // namespace

void fill_pattern(std::span<uint8_t> bytes, PatternKey key) {
    Words words(key);
    for (size_t offset = 0; offset < bytes.size(); offset += 8) {
        uint64_t word = words.at(offset / 8);
        std::memcpy(bytes.data() + offset, &word, std::min<size_t>(8, bytes.size() - offset));
    }
}

std::optional<Mismatch> find_mismatch(std::span<const uint8_t> bytes, PatternKey key) {
    Words words(key);
    for (size_t offset = 0; offset < bytes.size(); offset += 8) {
        uint64_t word = words.at(offset / 8);
        size_t length = std::min<size_t>(8, bytes.size() - offset);
        if (std::memcmp(bytes.data() + offset, &word, length) == 0)
            continue;
        uint8_t expected[8];
        std::memcpy(expected, &word, 8);
        for (size_t i = 0; i < length; i++)
            if (bytes[offset + i] != expected[i])
                return Mismatch{offset + i, expected[i], bytes[offset + i]};
    }
    return std::nullopt;
}

} // namespace myri::tools
