// SPDX-License-Identifier: BSD-3-Clause
// How a medium message is cut: into fragments of one size, a power of two that stands in each fragment's header.
//
// Concepts: a message that finds nobody before it goes in small fragments, so that copying, the buses of both hosts and
// the wire overlap within it. Behind others they overlap anyhow, and large fragments cost less.
#pragma once

#include <stdint.h>

#include "abi/message.h"

namespace myri {

// `shift`: log2 of the size. The smallest that needs at most MSG_FRAGMENTS, or the largest there is.
inline uint8_t fragment_shift(uint32_t length, bool alone) {
    unsigned shift = alone ? MSG_FRAGMENT_SHIFT_MIN : MSG_FRAGMENT_SHIFT_MAX;
    while (length > MSG_FRAGMENTS << shift)
        ++shift;
    return static_cast<uint8_t>(shift);
}

inline unsigned fragment_count(uint32_t length, unsigned shift) { return (length + (1u << shift) - 1) >> shift; }

// Of fragment number `fragment`, which must exist.
inline uint32_t fragment_bytes(uint32_t length, unsigned shift, unsigned fragment) {
    const uint32_t rest = length - (fragment << shift);
    return rest < 1u << shift ? rest : 1u << shift;
}

} // namespace myri
