// SPDX-License-Identifier: BSD-3-Clause
//
// What the two ends of a benchmark tell each other besides the measured messages.
//
// The sender decides everything: before each length it sends an order, and the receiver answers when its receives
// are posted. Structures are in network byte order and begin with a version; ends of different versions or
// programs refuse each other. All messages of one sender carry its nonce in their match bits, so that a second
// sender waits until the receiver is free.
#pragma once

#include <optional>

#include "abi/types.h"
#include "tools/session.h"

namespace myri::tools {

inline constexpr uint32_t DIALOGUE_MAGIC = 0x4d595242; // "MYRB"
inline constexpr uint32_t DIALOGUE_VERSION = 1;

enum class Program : uint32_t { PINGPONG = 1, STREAM = 2 };

enum class Tag : uint32_t {
    ORDER = 0x4d580001,
    ANSWER = 0x4d580002,
    PING = 0x4d580003,    // data of the sender
    PONG = 0x4d580004,    // data of the receiver
    LAST = 0x4d580005,    // the sender's data ends here
    LAST_BACK = 0x4d580006,
    FIGURES = 0x4d580007, // what the receiver has measured
};

struct Order {
    uint32_t length = 0;
    uint32_t iterations = 0;
    uint32_t warmup = 0;
    bool verify = false;
    bool synchronous = false;
    bool both_ways = false;
    bool finished = false; // nothing more comes; the other fields mean nothing
    uint64_t seed = 0;
};

enum class Verdict : uint32_t { READY = 0, OTHER_VERSION = 1, OTHER_PROGRAM = 2, NO_MEMORY = 3 };

struct WireOrder {
    be32 magic;
    be32 version;
    be32 program;
    be32 flags;
    be32 length;
    be32 iterations;
    be32 warmup;
    be32 reserved;
    be64 seed;
};
MYRI_ASSERT_SIZE(WireOrder, 40);

struct WireAnswer {
    be32 magic;
    be32 version;
    be32 verdict;
    be32 program;
};
MYRI_ASSERT_SIZE(WireAnswer, 16);

WireOrder to_wire(const Order& order, Program program);
// The order, or why not: what a receiver that runs `program` says to these bytes.
Verdict judge(std::span<const uint8_t> bytes, Program program, Order& order);
// What the sender prints for an answer that is not READY.
std::string refusal(const WireAnswer& answer, Program program);

// The sender's side.
class Commander {
public:
    Commander(Session& session, Peer peer, Program program);
    // Gives the order and waits until the receiver is ready. Throws Failure if it refuses.
    void give(const Order& order);
    void finish();
    uint64_t match(Tag tag) const { return uint64_t{static_cast<uint32_t>(tag)} << 32 | nonce_; }
    const Peer& peer() const { return peer_; }
    uint32_t nonce() const { return nonce_; }

private:
    void send(const Order& order);

    Session& session_;
    Peer peer_;
    Program program_;
    uint32_t nonce_;
};

// The receiver's side.
class Subordinate {
public:
    Subordinate(Session& session, Program program) : session_(session), program_(program) {}
    // The next order: of anybody at first, then of the same sender until its last one (then nothing). An order
    // that cannot be taken is refused and throws Failure.
    std::optional<Order> next();
    void answer(Verdict verdict);
    uint64_t match(Tag tag) const { return uint64_t{static_cast<uint32_t>(tag)} << 32 | nonce_; }
    const Peer& peer() const { return peer_; }

private:
    Session& session_;
    Program program_;
    bool engaged_ = false;
    uint32_t nonce_ = 0;
    Peer peer_;
};

} // namespace myri::tools
