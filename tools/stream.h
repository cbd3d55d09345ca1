// SPDX-License-Identifier: BSD-3-Clause
//
// The stream: messages one after another, 16 under way at a time, in one direction or in both at once.
//
// Each direction is timed where it is received: from the moment the receiver is ready until its last message is
// complete. The only loop of its kind, run by both ends.
#pragma once

#include "tools/dialogue.h"
#include "tools/verifier.h"

namespace myri::tools {

struct Figures {
    uint64_t messages = 0;
    uint64_t bytes = 0;
    uint64_t elapsed = 0; // picoseconds

    double rate_mb_s() const;     // 10^6 bytes per second
    double messages_per_s() const;
};

struct StreamResult {
    Figures sent;     // measured and returned by the receiver
    Figures received; // both ways only
};

class StreamSender {
public:
    StreamSender(Session& session, Peer peer, const TestingOptions& testing)
        : session_(session), commander_(session, std::move(peer), Program::STREAM), verifier_(testing) {}
    // After SIGINT both ends stop early and the figures are of what was done; interrupted() tells.
    StreamResult measure(const Order& order);
    void finish() { commander_.finish(); }
    uint32_t seed() const { return commander_.nonce(); }

private:
    Session& session_;
    Commander commander_;
    Verifier verifier_;
};

// Serves one sender until it has finished.
void serve_stream(Session& session, const TestingOptions& testing, Report& report);

} // namespace myri::tools
