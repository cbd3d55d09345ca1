// SPDX-License-Identifier: BSD-3-Clause
#include "tools/pingpong.h"

#include <algorithm>

#include "tools/failure.h"

namespace myri::tools {
namespace {

constexpr const char* DOING = "exchange messages";

// One end of the exchange: what it sends and receives, and where.
class Side {
public:
    Side(Session& session, const Peer& peer, const Order& order, Verifier& verifier, bool pings, uint64_t match_out,
         uint64_t match_in)
        : session_(session), peer_(peer), order_(order), verifier_(verifier), pings_(pings), match_out_(match_out),
          match_in_(match_in), out_(session.buffer(0, order.length)), in_(session.buffer(1, order.length)),
          receive_(session) {}

    void post_receive() { receive_.post(in_, match_in_); }
    void receive(uint64_t round) {
        mx_status_t status = receive_.complete(&peer_, DOING);
        if (status.msg_length != order_.length)
            throw Failure(fmt::format("received {} bytes instead of {}", status.msg_length, order_.length));
        if (order_.verify)
            verifier_.check(in_, {order_.seed, 2 * round + (pings_ ? 1 : 0)});
    }
    // Posts the next receive while the message is on its way, where that costs no time.
    void send(uint64_t round, bool more) {
        if (order_.verify)
            fill_pattern(out_, {order_.seed, 2 * round + (pings_ ? 0 : 1)});
        mx_request_t request = session_.send(out_, peer_, match_out_, order_.synchronous);
        if (more)
            post_receive();
        session_.complete(request, &peer_, DOING);
    }

private:
    Session& session_;
    const Peer& peer_;
    const Order& order_;
    Verifier& verifier_;
    bool pings_;
    uint64_t match_out_;
    uint64_t match_in_;
    std::span<uint8_t> out_;
    std::span<uint8_t> in_;
    PendingReceive receive_;
};

void exchange(Side& side, uint64_t round) {
    side.send(round, true);
    side.receive(round);
}

uint64_t rounds(const Order& order) { return uint64_t{order.warmup} + order.iterations; }

} // namespace

double RoundTrips::latency_us() const {
    return done ? static_cast<double>(elapsed) / done / 2e6 : 0;
}

double RoundTrips::rate_mb_s() const {
    double us = latency_us();
    return us > 0 ? length / us : 0; // bytes per microsecond are 10^6 bytes per second
}

double RoundTrips::quantile_us(double part) const {
    if (each.empty())
        return 0;
    std::vector<uint64_t> sorted = each;
    auto place = static_cast<size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5);
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(place), sorted.end());
    return static_cast<double>(sorted[place]) / 2e6;
}

RoundTrips PingpongSender::measure(const Order& order, bool keep_each) {
    Side side(session_, commander_.peer(), order, verifier_, true, commander_.match(Tag::PING),
              commander_.match(Tag::PONG));
    RoundTrips result;
    result.length = order.length;
    commander_.give(order);
    uint64_t start = session_.now();
    uint64_t last = start; // end of the round before, if each round is timed
    try {
        for (uint64_t round = 0; round < order.warmup; round++)
            exchange(side, round);
        start = last = session_.now();
        while (result.done < order.iterations) {
            exchange(side, order.warmup + uint64_t{result.done});
            result.done++;
            if (!keep_each)
                continue;
            uint64_t time = session_.now();
            result.each.push_back(time - last);
            last = time;
        }
        result.elapsed = session_.now() - start;
    } catch (const Interrupted&) {
        // The unfinished round does not count. The caller sees by interrupted() that this is not all.
        result.elapsed = (keep_each ? last : session_.now()) - start;
    }
    return result;
}

void serve_pingpong(Session& session, const TestingOptions& testing, Report& report) {
    Verifier verifier(testing);
    Subordinate subordinate(session, Program::PINGPONG);
    while (auto order = subordinate.next()) {
        report.remark("{} bytes, {} iterations for {}", order->length, order->iterations, subordinate.peer().name);
        try {
            session.buffer(0, order->length);
            session.buffer(1, order->length);
        } catch (const Failure&) {
            subordinate.answer(Verdict::NO_MEMORY);
            throw;
        }
        Side side(session, subordinate.peer(), *order, verifier, false, subordinate.match(Tag::PONG),
                  subordinate.match(Tag::PING));
        side.post_receive();
        subordinate.answer(Verdict::READY);
        for (uint64_t round = 0; round < rounds(*order); round++) {
            side.receive(round);
            side.send(round, round + 1 < rounds(*order));
        }
    }
}

} // namespace myri::tools
