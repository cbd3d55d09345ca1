// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dialogue.h"

#include <cstring>

#include "tools/failure.h"

namespace myri::tools {
namespace {

enum Flag : uint32_t { VERIFY = 1, SYNCHRONOUS = 2, BOTH_WAYS = 4, FINISHED = 8 };
constexpr uint64_t TAG_ONLY = 0xffffffff00000000u;
constexpr size_t ORDER_ROOM = 256; // a later version's order may be longer

const char* name_of(Program program) { return program == Program::PINGPONG ? "mx_pingpong" : "mx_stream"; }

std::span<const uint8_t> bytes_of(const auto& wire) { return {reinterpret_cast<const uint8_t*>(&wire), sizeof wire}; }

} // namespace

WireOrder to_wire(const Order& order, Program program) {
    WireOrder wire{};
    wire.magic = cpu_to_be32(DIALOGUE_MAGIC);
    wire.version = cpu_to_be32(DIALOGUE_VERSION);
    wire.program = cpu_to_be32(static_cast<uint32_t>(program));
    wire.flags = cpu_to_be32((order.verify ? VERIFY : 0u) | (order.synchronous ? SYNCHRONOUS : 0u) |
                             (order.both_ways ? BOTH_WAYS : 0u) | (order.finished ? FINISHED : 0u));
    wire.length = cpu_to_be32(order.length);
    wire.iterations = cpu_to_be32(order.iterations);
    wire.warmup = cpu_to_be32(order.warmup);
    wire.seed = cpu_to_be64(order.seed);
    return wire;
}

Verdict judge(std::span<const uint8_t> bytes, Program program, Order& order) {
    WireOrder wire{};
    if (bytes.size() < 3 * sizeof(be32))
        return Verdict::OTHER_VERSION;
    std::memcpy(&wire, bytes.data(), std::min(bytes.size(), sizeof wire));
    if (be32_to_cpu(wire.magic) != DIALOGUE_MAGIC || be32_to_cpu(wire.version) != DIALOGUE_VERSION ||
        bytes.size() != sizeof wire)
        return Verdict::OTHER_VERSION;
    if (be32_to_cpu(wire.program) != static_cast<uint32_t>(program))
        return Verdict::OTHER_PROGRAM;
    uint32_t flags = be32_to_cpu(wire.flags);
    order.length = be32_to_cpu(wire.length);
    order.iterations = be32_to_cpu(wire.iterations);
    order.warmup = be32_to_cpu(wire.warmup);
    order.verify = flags & VERIFY;
    order.synchronous = flags & SYNCHRONOUS;
    order.both_ways = flags & BOTH_WAYS;
    order.finished = flags & FINISHED;
    order.seed = be64_to_cpu(wire.seed);
    return Verdict::READY;
}

std::string refusal(const WireAnswer& answer, Program program) {
    if (be32_to_cpu(answer.magic) != DIALOGUE_MAGIC)
        return "the other end gives no sensible answer; is it one of these tools?";
    if (be32_to_cpu(answer.version) != DIALOGUE_VERSION)
        return fmt::format("the other end speaks version {} of the benchmark's protocol, this one version {}; install "
                           "the same version at both ends",
                           be32_to_cpu(answer.version), DIALOGUE_VERSION);
    switch (static_cast<Verdict>(be32_to_cpu(answer.verdict))) {
    case Verdict::OTHER_PROGRAM:
        return fmt::format("the other end runs {}, not {}", name_of(static_cast<Program>(be32_to_cpu(answer.program))),
                           name_of(program));
    case Verdict::NO_MEMORY:
        return "the other end has not enough memory for messages of this length";
    default:
        return "the other end refuses the order";
    }
}

Commander::Commander(Session& session, Peer peer, Program program)
    : session_(session), peer_(std::move(peer)), program_(program),
      nonce_(session.self().session ^ static_cast<uint32_t>(session.self().nic_id * 0x9e3779b1u)) {}

void Commander::send(const Order& order) {
    WireOrder wire = to_wire(order, program_);
    session_.complete(session_.send(bytes_of(wire), peer_, match(Tag::ORDER)), &peer_, "send the parameters");
}

void Commander::give(const Order& order) {
    WireAnswer answer{};
    PendingReceive receive(session_);
    receive.post({reinterpret_cast<uint8_t*>(&answer), sizeof answer}, match(Tag::ANSWER));
    send(order);
    receive.complete(&peer_, "agree with the receiver");
    if (be32_to_cpu(answer.magic) != DIALOGUE_MAGIC || be32_to_cpu(answer.version) != DIALOGUE_VERSION ||
        be32_to_cpu(answer.verdict) != static_cast<uint32_t>(Verdict::READY))
        throw Failure(fmt::format("{} refuses: {}", peer_.name, refusal(answer, program_)));
}

void Commander::finish() {
    Order order;
    order.finished = true;
    send(order);
}

std::optional<Order> Subordinate::next() {
    uint8_t bytes[ORDER_ROOM];
    PendingReceive receive(session_);
    receive.post(bytes, match(Tag::ORDER), engaged_ ? MX_MATCH_MASK_NONE : TAG_ONLY);
    mx_status_t status = receive.complete(engaged_ ? &peer_ : nullptr, "wait for the sender");
    peer_ = session_.peer_of(status);
    nonce_ = static_cast<uint32_t>(status.match_info);
    engaged_ = true;
    Order order;
    Verdict verdict = judge({bytes, status.xfer_length}, program_, order);
    if (verdict != Verdict::READY) {
        answer(verdict);
        throw Failure(fmt::format("refused {}: {}", peer_.name,
                                  verdict == Verdict::OTHER_PROGRAM
                                      ? "it runs another program"
                                      : fmt::format("it speaks another version of the benchmark's protocol than {}",
                                                    DIALOGUE_VERSION)));
    }
    if (order.finished)
        return std::nullopt;
    return order;
}

void Subordinate::answer(Verdict verdict) {
    WireAnswer wire{};
    wire.magic = cpu_to_be32(DIALOGUE_MAGIC);
    wire.version = cpu_to_be32(DIALOGUE_VERSION);
    wire.verdict = cpu_to_be32(static_cast<uint32_t>(verdict));
    wire.program = cpu_to_be32(static_cast<uint32_t>(program_));
    session_.complete(session_.send(bytes_of(wire), peer_, match(Tag::ANSWER)), &peer_, "answer the sender");
}

} // namespace myri::tools
