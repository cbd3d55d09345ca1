// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that a seed and a place give: the same on every run, unrelated for neighbouring places.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace myri::emulator {

// splitmix64 over the parts.
constexpr uint64_t seeded(std::initializer_list<uint64_t> parts) {
    uint64_t state = 0;
    for (const uint64_t part : parts) {
        state = (state ^ part) + 0x9e3779b97f4a7c15u;
        state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
        state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
        state ^= state >> 31;
    }
    return state;
}

} // namespace myri::emulator
