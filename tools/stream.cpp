// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stream.h"

#include <array>
#include <cstring>
#include <deque>

#include "tools/failure.h"
#include "tools/interrupt.h"

namespace myri::tools {
namespace {

constexpr uint32_t DEPTH = 16; // messages under way in each direction
constexpr const char* DOING = "stream messages";

struct WireLast {
    be32 messages; // so many were sent
};
struct WireFigures {
    be64 messages;
    be64 bytes;
    be64 elapsed;
};

std::span<uint8_t> bytes_of(auto& wire) { return {reinterpret_cast<uint8_t*>(&wire), sizeof wire}; }

struct Slot {
    enum Kind { SEND, RECEIVE, LAST_OUT, LAST_IN } kind;
    uint64_t number = 0; // of the message in its direction
    std::span<uint8_t> buffer;
    mx_request_t request = nullptr;
};

// One end's part in one order. Matching in order means that the n-th receive gets the n-th message, even if
// receives complete in another order.
class Flow {
public:
    struct Match {
        uint64_t data_out, last_out, data_in, last_in;
    };

    Flow(Session& session, const Peer& peer, const Order& order, Verifier& verifier, bool sends, bool receives,
         bool commands, Match match)
        : session_(session), peer_(peer), order_(order), verifier_(verifier), commands_(commands), match_(match),
          to_send_(sends ? order.iterations : 0), to_receive_(receives ? order.iterations : 0), last_sent_(!sends),
          last_received_(!receives) {
        uint32_t depth = std::min(DEPTH, order.iterations);
        size_t index = 0;
        for (uint32_t i = 0; sends && i < depth; i++)
            slots_.push_back({Slot::SEND, 0, session.buffer(index++, order.length)});
        index = DEPTH;
        for (uint32_t i = 0; receives && i < depth; i++)
            slots_.push_back({Slot::RECEIVE, 0, session.buffer(index++, order.length)});
        if (sends)
            slots_.push_back({Slot::LAST_OUT, 0, bytes_of(last_out_)});
        if (receives)
            slots_.push_back({Slot::LAST_IN, 0, bytes_of(last_in_)});
    }
    ~Flow() { withdraw_receives(); }
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    // Posts the receives; after that the other end may send.
    void prepare() {
        for (Slot& slot : slots_) {
            if (slot.kind == Slot::RECEIVE)
                post_receive(slot);
            if (slot.kind == Slot::LAST_IN)
                slot.request = session_.receive(slot.buffer, match_.last_in, MX_MATCH_MASK_NONE, &slot);
        }
    }

    Figures run() {
        uint64_t start = session_.now();
        for (Slot& slot : slots_)
            if (slot.kind == Slot::SEND)
                post_send(slot);
        while (!last_sent_ || !last_received_ || figures_.messages < to_receive_) {
            finish_sending_if_done();
            mx_status_t status = session_.complete_any(peer_, DOING);
            Slot& slot = *static_cast<Slot*>(status.context);
            slot.request = nullptr;
            take(slot, status, start);
        }
        withdraw_receives();
        return figures_;
    }

private:
    void take(Slot& slot, const mx_status_t& status, uint64_t start) {
        switch (slot.kind) {
        case Slot::SEND:
            done_out_++;
            post_send(slot);
            break;
        case Slot::RECEIVE:
            if (status.msg_length != order_.length)
                throw Failure(fmt::format("received {} bytes instead of {}", status.msg_length, order_.length));
            figures_.messages++;
            figures_.bytes += status.msg_length;
            figures_.elapsed = session_.now() - start;
            if (order_.verify)
                verifier_.check(slot.buffer, key(slot.number, !commands_));
            post_receive(slot);
            break;
        case Slot::LAST_OUT:
            last_sent_ = true;
            break;
        case Slot::LAST_IN:
            last_received_ = true;
            to_receive_ = be32_to_cpu(last_in_.messages);
            if (to_receive_ < order_.iterations) // the other end was interrupted
                to_send_ = std::min(to_send_, posted_out_);
            break;
        }
    }

    // The two directions of one order have different patterns.
    PatternKey key(uint64_t number, bool from_commander) const {
        return {order_.seed, 2 * number + (from_commander ? 0 : 1)};
    }

    void post_send(Slot& slot) {
        if (commands_ && interrupted()) // ends the sending; both ends then come to a regular end
            to_send_ = std::min(to_send_, posted_out_);
        if (posted_out_ >= to_send_)
            return;
        slot.number = posted_out_++;
        if (order_.verify)
            fill_pattern(slot.buffer, key(slot.number, commands_));
        slot.request = session_.send(slot.buffer, peer_, match_.data_out, false, &slot);
    }

    void post_receive(Slot& slot) {
        if (posted_in_ >= to_receive_)
            return;
        slot.number = posted_in_++;
        slot.request = session_.receive(slot.buffer, match_.data_in, MX_MATCH_MASK_NONE, &slot);
    }

    void finish_sending_if_done() {
        if (last_sent_ || last_posted_ || done_out_ < to_send_)
            return;
        last_posted_ = true;
        last_out_.messages = cpu_to_be32(static_cast<uint32_t>(posted_out_));
        for (Slot& slot : slots_)
            if (slot.kind == Slot::LAST_OUT)
                slot.request = session_.send(slot.buffer, peer_, match_.last_out, false, &slot);
    }

    void withdraw_receives() {
        for (Slot& slot : slots_)
            if (slot.request && (slot.kind == Slot::RECEIVE || slot.kind == Slot::LAST_IN))
                session_.withdraw(std::exchange(slot.request, nullptr));
    }

    Session& session_;
    const Peer& peer_;
    const Order& order_;
    Verifier& verifier_;
    bool commands_; // this end gave the order
    Match match_;
    std::deque<Slot> slots_;
    uint64_t to_send_;
    uint64_t to_receive_;
    uint64_t posted_out_ = 0;
    uint64_t done_out_ = 0;
    uint64_t posted_in_ = 0;
    bool last_posted_ = false;
    bool last_sent_;
    bool last_received_;
    WireLast last_out_{};
    WireLast last_in_{};
    Figures figures_;
};

} // namespace

double Figures::rate_mb_s() const { return elapsed ? static_cast<double>(bytes) / (static_cast<double>(elapsed) / 1e6) : 0; }
double Figures::messages_per_s() const {
    return elapsed ? static_cast<double>(messages) / (static_cast<double>(elapsed) / 1e12) : 0;
}

StreamResult StreamSender::measure(const Order& order) {
    Flow flow(session_, commander_.peer(), order, verifier_, true, order.both_ways, true,
              {commander_.match(Tag::PING), commander_.match(Tag::LAST), commander_.match(Tag::PONG),
               commander_.match(Tag::LAST_BACK)});
    WireFigures wire{};
    PendingReceive figures(session_);
    flow.prepare();
    commander_.give(order);
    session_.heed_interrupt(false);
    StreamResult result;
    result.received = flow.run();
    figures.post(bytes_of(wire), commander_.match(Tag::FIGURES));
    figures.complete(&commander_.peer(), "get the receiver's figures");
    session_.heed_interrupt(true);
    result.sent = {be64_to_cpu(wire.messages), be64_to_cpu(wire.bytes), be64_to_cpu(wire.elapsed)};
    return result;
}

void serve_stream(Session& session, const TestingOptions& testing, Report& report) {
    Verifier verifier(testing);
    Subordinate subordinate(session, Program::STREAM);
    while (auto order = subordinate.next()) {
        report.remark("{} bytes, {} messages from {}{}", order->length, order->iterations, subordinate.peer().name,
                      order->both_ways ? ", both ways" : "");
        std::optional<Flow> flow;
        try {
            flow.emplace(session, subordinate.peer(), *order, verifier, order->both_ways, true, false,
                         Flow::Match{subordinate.match(Tag::PONG), subordinate.match(Tag::LAST_BACK),
                                     subordinate.match(Tag::PING), subordinate.match(Tag::LAST)});
        } catch (const Failure&) {
            subordinate.answer(Verdict::NO_MEMORY);
            throw;
        }
        flow->prepare();
        subordinate.answer(Verdict::READY);
        Figures figures = flow->run();
        WireFigures wire{cpu_to_be64(figures.messages), cpu_to_be64(figures.bytes), cpu_to_be64(figures.elapsed)};
        session.complete(session.send(bytes_of(wire), subordinate.peer(), subordinate.match(Tag::FIGURES)),
                         &subordinate.peer(), "return the figures");
    }
}

} // namespace myri::tools
