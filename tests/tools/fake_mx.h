// SPDX-License-Identifier: BSD-3-Clause
//
// A stand-in for libmyri inside one process: endpoints are objects, a message is copied when it is matched.
//
// It lets both ends of a benchmark run as two threads without a board. Only what the tools use is there, written
// from the rules of the MX interface. Its clock is the real one, FAST times as quick, so that time limits pass soon.
#pragma once

#include <cstdint>

namespace fake_mx {

inline constexpr uint64_t FAST = 20;

// The endpoint's owner is gone, as after kill -9: whoever sends to it fails, and nobody can connect.
void kill_endpoint(uint32_t endpoint);
// The n-th message from now on (0: the next one) with at least one byte arrives with one bit changed.
void damage_message(uint32_t n);

} // namespace fake_mx
