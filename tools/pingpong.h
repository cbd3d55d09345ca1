// SPDX-License-Identifier: BSD-3-Clause
//
// The ping-pong: one message there, one back, again and again; half a round trip is the latency.
//
// The only loop of its kind: mx_pingpong and every other measurement of latency use it.
#pragma once

#include <vector>

#include "tools/dialogue.h"
#include "tools/verifier.h"

namespace myri::tools {

struct RoundTrips {
    uint32_t length = 0;
    uint32_t done = 0;              // measured round trips; fewer than asked for after SIGINT
    uint64_t elapsed = 0;           // picoseconds for all of them
    std::vector<uint64_t> each;     // picoseconds, if asked for

    double latency_us() const;      // half a round trip
    double rate_mb_s() const;       // 10^6 bytes per second in one direction
    // Half the round trip below which `part` (0 to 1) of all lie; needs `each`.
    double quantile_us(double part) const;
};

class PingpongSender {
public:
    PingpongSender(Session& session, Peer peer, const TestingOptions& testing)
        : session_(session), commander_(session, std::move(peer), Program::PINGPONG), verifier_(testing) {}
    // After SIGINT: what was measured so far; interrupted() tells.
    RoundTrips measure(const Order& order, bool keep_each);
    void finish() { commander_.finish(); }
    uint32_t seed() const { return commander_.nonce(); }

private:
    Session& session_;
    Commander commander_;
    Verifier verifier_;
};

// Serves one sender until it has finished. `remark` hears of each order.
void serve_pingpong(Session& session, const TestingOptions& testing, Report& report);

} // namespace myri::tools
