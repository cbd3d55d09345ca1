// SPDX-License-Identifier: BSD-3-Clause
// Pulls: the card's handles that fetch runs of blocks into a receive. For receive_large.cpp.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

inline uint32_t blocks_of(uint32_t bytes) {
    return (bytes + WIRE_BLOCK_SIZE - 1) / WIRE_BLOCK_SIZE;
}

// A set of a window's blocks.
inline bool bit(const uint64_t* bits, uint32_t n) {
    return bits[n / 64] >> (n % 64) & 1;
}
inline void set_bit(uint64_t* bits, uint32_t n) {
    bits[n / 64] |= UINT64_C(1) << (n % 64);
}
inline void clear_bit(uint64_t* bits, uint32_t n) {
    bits[n / 64] &= ~(UINT64_C(1) << (n % 64));
}

int free_pull(const Endpoint& ep); // -1: none
// nullptr: that use of the handle is over.
Pull* live_pull(Endpoint& ep, uint32_t pull_generation);
// Whether any pull is about this window.
bool pulled(const Endpoint& ep, const LargeReceive* large, unsigned window);

// Posts pulls for what a window misses. 0, or why it cannot go on: -EBUSY no handle or slot, else of the memory.
int pull_window(Endpoint& ep, LargeReceive* large, unsigned window, bool& any);
// A block of a pull is here: puts it where it belongs. False: it is damaged.
bool pull_take_block(LargeReceive* large, const IncomingWindow& window, const Pull& pull, uint32_t block, uint32_t crc);
// The handle is free; blocks that it has not brought are to be fetched again.
void end_pull(Endpoint& ep, Pull& pull);
// The pulls of a message, or of one of its windows; large_pull_retired ends each.
constexpr unsigned all_windows = ~0u;
void retire_pulls(Endpoint& ep, LargeReceive* large, unsigned window);

} // namespace myri
