// SPDX-License-Identifier: BSD-3-Clause
// What happens when something is refused, silent, late or full: over a fake card, in virtual time.
#include <cstring>
#include <utility>
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/libmyri/pair.h"

using namespace myri::test;

TEST_CASE("the library's own memory is never taken for a user's buffer that was there before") {
    Pair p;
    auto& cache = reinterpret_cast<myri::Endpoint*>(p.b)->registrations;
    Bytes users(100000);
    mx_segment_t s{users.data(), static_cast<uint32_t>(users.size())};
    myri::Segments buffer;
    buffer.set(&s, 1);
    uint32_t at = 77;
    int error = 0;
    myri::Registration* first = cache.acquire(buffer, 0, 100000, true, at, error);
    REQUIRE(first);
    cache.release(first); // stays in the cache
    myri::Registration* own = cache.acquire_own(users.data() + 4096, 32768, true, error);
    REQUIRE(own);
    CHECK_NE(own->window, first->window);
    myri::Registration* again = cache.acquire(buffer, 4096, 32768, true, at, error);
    CHECK_EQ(again, first);
    CHECK_EQ(at, 4096u);
    cache.release(again);
    cache.release(own);
    CHECK_EQ(p.fabric.registered(1), 1u);
}

TEST_CASE("a window whose grant is refused is asked for again, and nothing is pulled twice") {
    for (const unsigned dead : {0u, 1u, 2u}) {
        CAPTURE(dead);
        Pair p;
        std::vector<uint32_t> grants; // in the order in which they were pulled
        p.fabric.refuse_pull = [&](uint32_t grant) {
            if (std::find(grants.begin(), grants.end(), grant) == grants.end())
                grants.push_back(grant);
            return grants.size() > dead && grants[dead] == grant;
        };
        const size_t n = (28u << 20) + 100; // four windows
        const Bytes data = pattern(n, 3);
        Bytes got(n);
        mx_request_t r = p.receive(got.data(), n, 1);
        mx_request_t s = p.send(data, 1);
        const mx_status_t status = Pair::wait(p.b, r);
        CHECK_EQ(status.code, MX_STATUS_SUCCESS);
        CHECK_EQ(Pair::wait(p.a, s).xfer_length, n);
        CHECK(got == data);
        myri_sleep(1000000000);
        CHECK_EQ(grants.size(), 5u);
        CHECK_EQ(Pair::counters(p.b).malformed, 0u);
        CHECK_FALSE(p.fabric.grants_open(0));
    }
}

TEST_CASE("a window that is done is not taken again, even if the sender grants it again") {
    Pair p;
    const size_t n = 20u << 20;
    const Bytes data = pattern(n, 3);
    Bytes got(n);
    mx_request_t r = p.receive(got.data(), n, 1);
    mx_request_t s = p.send(data, 1);
    auto& ep = *reinterpret_cast<myri::Endpoint*>(p.b);
    bool done = false;
    for (int i = 0; i < 100000 && !done; ++i) {
        myri_sleep(100000000);
        myri::LargeReceive* l = ep.large.incoming.front();
        done = l && l->windows_over[0] & 1;
        if (!done)
            continue;
        msg_rendezvous again{};
        again.rendezvous = cpu_to_be16(l->number);
        again.granted = cpu_to_be32(FW_WINDOW_MAX);
        myri::large_window_next(ep, *l->from, again);
    }
    REQUIRE(done);
    CHECK_EQ(Pair::counters(p.b).malformed, 1u);
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_SUCCESS);
    CHECK(got == data);
}

TEST_CASE("partners that are asleep do not keep one that is awake from its data") {
    for (const uint32_t bounce : {0u, 6u << 20}) {
        Pair p(1, {}, {bounce, bounce});
        mx_endpoint_t c = nullptr;
        mx_endpoint_addr_t c_to_b{};
        REQUIRE_EQ(mx_open_endpoint(0, 2, 7, nullptr, 0, &c), MX_SUCCESS);
        REQUIRE_EQ(mx_connect(c, FakeFabric::mac, 1, 7, 1000, &c_to_b), MX_SUCCESS);
        const size_t n = 300000;
        Bytes data = pattern(n, 3), got[FW_PULLS + 1];
        std::vector<mx_request_t> receives, sends;
        REQUIRE_EQ(mx_disable_progression(p.a), MX_SUCCESS);
        for (unsigned i = 0; i < FW_PULLS; ++i) { // enough for every pull there is
            got[i].resize(n);
            sends.push_back(p.send(data, i));
            receives.push_back(p.receive(got[i].data(), n, i));
        }
        uint32_t result = 0;
        mx_status_t status;
        for (unsigned i = 0; i < FW_PULLS; ++i) { // now they are matched, and none has its data
            myri_sleep(100000000);
            REQUIRE_EQ(mx_test(p.b, &receives[i], &status, &result), MX_SUCCESS);
            REQUIRE_EQ(result, 0u);
        }
        got[FW_PULLS].resize(n);
        mx_request_t awake = p.receive(got[FW_PULLS].data(), n, 99), sent = nullptr;
        mx_segment_t s{data.data(), static_cast<uint32_t>(n)};
        REQUIRE_EQ(mx_isend(c, &s, 1, c_to_b, 99, nullptr, &sent), MX_SUCCESS);
        bool received = false;
        for (int ms = 0; ms < 3000 && !received; ++ms) {
            REQUIRE_EQ(mx_test(p.b, &awake, &status, &result), MX_SUCCESS);
            received = result != 0;
            myri_sleep(1000000000);
        }
        CAPTURE(bounce);
        CHECK(received);
        CHECK(got[FW_PULLS] == data);
        REQUIRE_EQ(mx_reenable_progression(p.a), MX_SUCCESS);
        for (unsigned i = 0; i < FW_PULLS; ++i) {
            CHECK_EQ(Pair::wait(p.a, sends[i]).code, MX_STATUS_SUCCESS);
            CHECK_EQ(Pair::wait(p.b, receives[i]).code, MX_STATUS_SUCCESS);
        }
        mx_close_endpoint(c);
    }
}

TEST_CASE("a large message ends although unmatched messages before its notify find no room") {
    mx_param_t limit{};
    limit.key = MX_PARAM_UNEXP_QUEUE_MAX;
    limit.val.unexp_queue_max = 16 << 10;
    for (const auto& [drop_rate, length] : {std::pair{0.0, 4000u}, {0.2, 4000u}, {0.0, 100u}, {0.2, 100u}}) {
        const double drop = drop_rate; // CAPTURE takes no names of parts
        const unsigned bytes = length;
        CAPTURE(drop);
        CAPTURE(bytes);
        Pair p(1, {limit});
        mx_endpoint_addr_t to_a{};
        REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 1000, &to_a), MX_SUCCESS);
        p.fabric.faults.drop = drop;
        const Bytes flood = pattern(bytes, 1), data = pattern(20u << 20, 2);
        Bytes at_a(data.size());
        std::vector<mx_request_t> floods;
        for (int i = 0; i < 400; ++i) // more than the stream has room for
            floods.push_back(p.send(flood, 1));
        // The other way: a asks, notifies and ends windows behind the flood that b does not take.
        mx_segment_t s{const_cast<uint8_t*>(data.data()), static_cast<uint32_t>(data.size())},
            d{at_a.data(), static_cast<uint32_t>(at_a.size())};
        mx_request_t sent = nullptr, received = nullptr;
        REQUIRE_EQ(mx_irecv(p.a, &d, 1, 2, ~0ull, nullptr, &received), MX_SUCCESS);
        REQUIRE_EQ(mx_isend(p.b, &s, 1, to_a, 2, nullptr, &sent), MX_SUCCESS);
        CHECK_EQ(Pair::wait(p.a, received).code, MX_STATUS_SUCCESS);
        CHECK_EQ(Pair::wait(p.b, sent).code, MX_STATUS_SUCCESS);
        CHECK(at_a == data);
        CHECK(Pair::counters(p.b).pushed_back > 0);
        Bytes got(bytes);
        for (mx_request_t f : floods) {
            CHECK_EQ(Pair::wait(p.b, p.receive(got.data(), bytes, 1)).code, MX_STATUS_SUCCESS);
            CHECK_EQ(Pair::wait(p.a, f).code, MX_STATUS_SUCCESS);
        }
    }
}

TEST_CASE("a short request timeout does not end a partner that answers") {
    Pair p;
    REQUIRE_EQ(mx_set_request_timeout(p.b, nullptr, 1), MX_SUCCESS);
    p.fabric.lose = [](const msg_header& h) { return h.kind == MSG_WINDOW_NEXT || h.kind == MSG_PROBE; };
    const Bytes data = pattern(20u << 20, 1);
    Bytes got(data.size());
    mx_request_t r = p.receive(got.data(), got.size(), 1);
    mx_request_t s = p.send(data, 1);
    // b waits for the next window, hears nothing, and is itself busy elsewhere for a while.
    for (int i = 0; i < 4; ++i) {
        myri_sleep(300000000000);
        myri_spend(700000000000);
        p.fabric.lose = i % 2 ? p.fabric.lose : nullptr;
    }
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_SUCCESS);
    CHECK(got == data);
}

TEST_CASE("a partner that answers no probe is given up after the timeout") {
    Pair p;
    REQUIRE_EQ(mx_set_request_timeout(p.b, nullptr, 3000), MX_SUCCESS);
    const Bytes data = pattern(20u << 20, 1);
    Bytes got(data.size());
    mx_request_t r = p.receive(got.data(), got.size(), 1);
    p.fabric.lose = [](const msg_header& h) {
        return h.kind == MSG_WINDOW_NEXT || h.kind == MSG_PROBE || h.kind == MSG_WINDOW_DONE;
    };
    mx_request_t s = p.send(data, 1);
    const uint64_t before = myri_time();
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_ENDPOINT_UNREACHABLE);
    CHECK(myri_time() - before >= 3000 * 1000000000ull);
    CHECK(myri_time() - before < 4500 * 1000000000ull);
    p.fabric.lose = nullptr;
    (void)s;
}

TEST_CASE("after a disconnect and a connect the other side's rendezvous fail, and new messages go") {
    for (const bool sender_leaves : {true, false})
        for (const bool matched : {true, false})
            for (const double drop : {0.0, 0.3}) {
                CAPTURE(sender_leaves);
                CAPTURE(matched);
                CAPTURE(drop);
                Pair p;
                mx_endpoint_addr_t to_a{};
                REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 1000, &to_a), MX_SUCCESS);
                const Bytes data = pattern(20u << 20, 1), small = pattern(100, 2), large = pattern(50000, 3);
                Bytes got(data.size());
                mx_request_t r = matched ? p.receive(got.data(), got.size(), 1) : nullptr;
                mx_request_t s = p.send(data, 1);
                myri_sleep(3000000000); // it is open, and far from its end
                p.fabric.faults.drop = drop;
                mx_disconnect(sender_leaves ? p.a : p.b, sender_leaves ? p.to_b : to_a);
                if (sender_leaves)
                    REQUIRE_EQ(mx_connect(p.a, FakeFabric::mac, 1, 7, 5000, &p.to_b), MX_SUCCESS);
                else
                    REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 5000, &to_a), MX_SUCCESS);
                CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_ENDPOINT_UNREACHABLE);
                if (r)
                    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_ENDPOINT_UNREACHABLE);
                uint32_t result = 1;
                mx_status_t status{};
                REQUIRE_EQ(mx_iprobe(p.b, 0, 0, &status, &result), MX_SUCCESS);
                CHECK_EQ(result, 0u);
                Bytes got_small(100), got_large(50000);
                mx_request_t first = p.receive(got_small.data(), 100, 2),
                             second = p.receive(got_large.data(), 50000, 2);
                Pair::wait(p.a, p.send(small, 2));
                mx_request_t sent = p.send(large, 2);
                CHECK_EQ(Pair::wait(p.b, first).code, MX_STATUS_SUCCESS);
                CHECK_EQ(Pair::wait(p.b, second).code, MX_STATUS_SUCCESS);
                CHECK_EQ(Pair::wait(p.a, sent).code, MX_STATUS_SUCCESS);
                CHECK(got_small == small);
                CHECK(got_large == large);
                myri_sleep(1000000000);
                CHECK_FALSE(p.fabric.grants_open(0));
            }
}

TEST_CASE("a message whose receive a disconnect has ended does not come again") {
    Pair p;
    mx_endpoint_addr_t to_a{};
    REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 1000, &to_a), MX_SUCCESS);
    const Bytes first = pattern(8000, 1), second = pattern(8000, 2);
    Bytes got(8000);
    p.fabric.lose = [](const msg_header& h) { return h.kind == MSG_MEDIUM && (be16_to_cpu(h.fragment) & 0xff) == 1; };
    mx_request_t r = p.receive(got.data(), 8000, 1);
    Pair::wait(p.a, p.send(first, 1));
    myri_sleep(1000000000);
    mx_disconnect(p.b, to_a);
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_ENDPOINT_UNREACHABLE);
    p.fabric.lose = nullptr;
    REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 1000, &to_a), MX_SUCCESS);
    r = p.receive(got.data(), 8000, 1);
    Pair::wait(p.a, p.send(second, 1));
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
    CHECK(got == second);
}

TEST_CASE("the unexpected handler is shown the data of a short message whose fragments come in any order, and once") {
    Pair p;
    struct Seen {
        int calls = 0, good = 0;
    } seen;
    const auto handler = [](void* context, mx_endpoint_addr_t, uint64_t, uint32_t length, void* data) {
        auto& s = *static_cast<Seen*>(context);
        s.calls++;
        s.good += data && length == 4000 && std::memcmp(data, pattern(4000, 1).data(), 4000) == 0;
        return MX_RECV_FINISHED;
    };
    REQUIRE_EQ(mx_register_unexp_handler(p.b, handler, &seen), MX_SUCCESS);
    for (unsigned lost : {0u, 1u, 3u}) {
        CAPTURE(lost);
        seen = {};
        bool first = true; // the fragment is lost once and comes behind the others
        p.fabric.lose = [&](const msg_header& h) {
            return h.kind == MSG_MEDIUM && (be16_to_cpu(h.fragment) & 0xff) == lost && std::exchange(first, false);
        };
        const Bytes data = pattern(4000, 1);
        CHECK_EQ(Pair::wait(p.a, p.send(data, 1)).code, MX_STATUS_SUCCESS);
        myri_sleep(1000000000);
        CHECK_FALSE(first);
        CHECK_EQ(seen.calls, 1);
        CHECK_EQ(seen.good, 1);
    }
    // A receive that is posted while the message waits for its rest gets it.
    p.fabric.lose = [](const msg_header& h) {
        return h.kind == MSG_MEDIUM && (be16_to_cpu(h.fragment) & 0xff) == 2;
    };
    seen = {};
    const Bytes data = pattern(4000, 2);
    Pair::wait(p.a, p.send(data, 1));
    myri_sleep(1000000000);
    CHECK_EQ(seen.calls, 0);
    Bytes got(4000);
    mx_request_t r = p.receive(got.data(), got.size(), 1);
    p.fabric.lose = nullptr;
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
    CHECK(got == data);
    CHECK_EQ(seen.calls, 0);
}

TEST_CASE("who asks for the data of a message that the sender does not know is told so") {
    Pair p;
    auto& a = *reinterpret_cast<myri::Endpoint*>(p.a);
    const Bytes data = pattern(20u << 20, 1);
    Bytes got(data.size());
    mx_request_t r = p.receive(got.data(), got.size(), 1);
    mx_request_t s = p.send(data, 1);
    myri_sleep(1000000000);
    // As if it had failed there.
    myri::Partner& b = *a.partner(0, 1, false);
    myri::Send* send = b.rendezvous.empty() ? b.unacked.front() : b.rendezvous.front();
    REQUIRE(send);
    send->rendezvous_number = static_cast<uint16_t>(send->rendezvous_number + 1);
    p.fabric.refuse_pull = [](uint32_t) { return true; };
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_ABORTED);
    mx_disconnect(p.a, p.to_b);
    CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_ENDPOINT_UNREACHABLE);
}

TEST_CASE("a partner that acknowledges nothing does not keep the send ring from others") {
    Pair p;
    mx_endpoint_t more[5] = {};
    mx_endpoint_addr_t to[5];
    for (uint32_t i = 0; i < 5; ++i) {
        REQUIRE_EQ(mx_open_endpoint(0, 2 + i, 7, nullptr, 0, &more[i]), MX_SUCCESS);
        REQUIRE_EQ(mx_connect(p.a, FakeFabric::mac, 2 + i, 7, 1000, &to[i]), MX_SUCCESS);
    }
    // Five silent partners hold all of the ring, and one more message waits for room.
    for (uint32_t i = 0; i < 5; ++i)
        p.fabric.close_ear(2 + i);
    const Bytes medium = pattern(32768, 1), small = pattern(100, 2);
    for (const mx_endpoint_addr_t& silent : to)
        for (int n = 0; n < 3; ++n) {
            mx_segment_t s{const_cast<uint8_t*>(medium.data()), static_cast<uint32_t>(medium.size())};
            REQUIRE_EQ(mx_isend(p.a, &s, 1, silent, 1, nullptr, nullptr), MX_SUCCESS);
        }
    myri_sleep(1000000000);
    REQUIRE_EQ(reinterpret_cast<myri::Endpoint*>(p.a)->free_chunk_count, 0u);
    Bytes got(100);
    mx_request_t r = p.receive(got.data(), 100, 1);
    p.send(small, 1);
    mx_status_t status{};
    uint32_t result = 0;
    REQUIRE_EQ(mx_wait(p.b, &r, 100, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 1u);
    CHECK(got == small);
    for (uint32_t i = 0; i < 5; ++i) {
        p.fabric.close_ear(2 + i, false);
        mx_disconnect(p.a, to[i]);
        mx_close_endpoint(more[i]);
    }
}

TEST_CASE("a request's time limit counts wherever the request waits") {
    Pair p;
    const Bytes big = pattern(100000, 1), small = pattern(100, 2);
    // Acknowledged and not matched: the one with a limit ends, the partner and the other one live.
    mx_request_t limited = p.send(big, 1), patient = p.send(big, 2);
    myri_sleep(1000000000);
    const uint64_t before = myri_time();
    REQUIRE_EQ(mx_set_request_timeout(p.a, limited, 2000), MX_SUCCESS);
    CHECK_EQ(Pair::wait(p.a, limited).code, MX_STATUS_TIMEOUT);
    CHECK(myri_time() - before >= 2000 * 1000000000ull);
    CHECK(myri_time() - before < 2100 * 1000000000ull);
    Bytes got(big.size());
    CHECK_EQ(Pair::wait(p.b, p.receive(got.data(), got.size(), 2)).code, MX_STATUS_SUCCESS);
    CHECK(got == big);
    CHECK_EQ(Pair::wait(p.a, patient).code, MX_STATUS_SUCCESS);
    // Who matches the one that is over is told.
    CHECK_EQ(Pair::wait(p.b, p.receive(got.data(), got.size(), 1)).code, MX_STATUS_ABORTED);
    // Behind others that nobody acknowledges: the shortest limit counts.
    p.fabric.lose = [](const msg_header&) { return true; };
    p.send(small, 3);
    mx_request_t last = p.send(big, 3);
    REQUIRE_EQ(mx_set_request_timeout(p.a, last, 1000), MX_SUCCESS);
    const uint64_t then = myri_time();
    CHECK_EQ(Pair::wait(p.a, last).code, MX_STATUS_TIMEOUT);
    CHECK(myri_time() - then < 1100 * 1000000000ull);
}

TEST_CASE("a blocking connect waits as long as it was told, whatever the request timeout") {
    Pair p;
    REQUIRE_EQ(mx_set_request_timeout(p.a, nullptr, 500), MX_SUCCESS);
    p.fabric.lose = [](const msg_header& h) { return h.kind == MSG_CONNECT; };
    const uint64_t before = myri_time();
    mx_endpoint_addr_t addr;
    CHECK_EQ(mx_connect(p.a, FakeFabric::mac, 1, 7, 3000, &addr), MX_TIMEOUT);
    CHECK_EQ((myri_time() - before) / 1000000000u, 3000u);
}

TEST_CASE("disconnecting from a partner that is gone drops its unexpected messages") {
    Pair p;
    mx_endpoint_addr_t to_a{};
    REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 1000, &to_a), MX_SUCCESS);
    Pair::wait(p.a, p.send(pattern(100, 1), 1));
    myri_sleep(1000000000);
    mx_close_endpoint(p.a);
    p.a = nullptr;
    myri_sleep(1000000000);
    uint32_t result = 0;
    mx_status_t status;
    REQUIRE_EQ(mx_iprobe(p.b, 1, ~0ull, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 1u);
    REQUIRE_EQ(mx_disconnect(p.b, to_a), MX_SUCCESS);
    REQUIRE_EQ(mx_iprobe(p.b, 1, ~0ull, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0u);
}

TEST_CASE("a pull or a retire request that the card refuses ends what it was for") {
    Pair p;
    const Bytes data = pattern(100000, 1);
    Bytes got(data.size());
    p.fabric.refuse_slot = [](uint8_t type) { return type == FW_SLOT_PULL; };
    mx_request_t r = p.receive(got.data(), got.size(), 1), s = p.send(data, 1);
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_ABORTED);
    CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_ABORTED);
    CHECK_EQ(Pair::counters(p.b).bad_slots, 1u);
    p.fabric.refuse_slot = [](uint8_t type) { return type == FW_SLOT_RETIRE; };
    s = p.send(data, 1);
    myri_sleep(1000000000);
    REQUIRE_EQ(mx_disconnect(p.a, p.to_b), MX_SUCCESS);
    CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_ENDPOINT_UNREACHABLE);
    CHECK_EQ(Pair::counters(p.a).bad_slots, 1u);
}

TEST_CASE("a message to itself from inside the handler gets its own turn with the handler, in order") {
    Pair p;
    struct Seen {
        mx_endpoint_t ep;
        mx_endpoint_addr_t self;
        std::vector<uint64_t> matches;
        unsigned depth = 0, deepest = 0;
    } seen{p.a, {}, {}};
    REQUIRE_EQ(mx_get_endpoint_addr(p.a, &seen.self), MX_SUCCESS);
    const auto handler = [](void* context, mx_endpoint_addr_t, uint64_t match, uint32_t, void*) {
        auto& s = *static_cast<Seen*>(context);
        s.deepest = std::max(s.deepest, ++s.depth);
        s.matches.push_back(match);
        if (match == 1) {
            mx_isend(s.ep, nullptr, 0, s.self, 2, nullptr, nullptr);
            mx_isend(s.ep, nullptr, 0, s.self, 3, nullptr, nullptr);
        }
        --s.depth;
        return match == 2 ? MX_RECV_CONTINUE : MX_RECV_FINISHED;
    };
    REQUIRE_EQ(mx_register_unexp_handler(p.a, handler, &seen), MX_SUCCESS);
    REQUIRE_EQ(mx_isend(p.a, nullptr, 0, seen.self, 1, nullptr, nullptr), MX_SUCCESS);
    mx_progress(p.a);
    CHECK(seen.matches == std::vector<uint64_t>{1, 2, 3});
    CHECK_EQ(seen.deepest, 1u);
    uint32_t result = 0;
    mx_status_t status;
    REQUIRE_EQ(mx_iprobe(p.a, 0, 0, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 1u);
    CHECK_EQ(status.match_info, 2u);

    REQUIRE_EQ(mx_disable_progression(p.a), MX_SUCCESS);
    REQUIRE_EQ(mx_isend(p.a, nullptr, 0, seen.self, 4, nullptr, nullptr), MX_SUCCESS);
    CHECK_EQ(seen.matches.size(), 3u); // no handler runs now
    REQUIRE_EQ(mx_reenable_progression(p.a), MX_SUCCESS);
    CHECK_EQ(seen.matches.size(), 4u);
}

// The address sanitizer tells whether the list of pieces went with it.
TEST_CASE("an endpoint closes with receives of many pieces posted and a message to itself unmatched") {
    Pair p;
    Bytes room(64);
    mx_segment_t pieces[5];
    for (unsigned i = 0; i < 5; ++i)
        pieces[i] = {room.data() + i * 8, 4};
    REQUIRE_EQ(mx_irecv(p.a, pieces, 5, 9, ~0ull, nullptr, nullptr), MX_SUCCESS);
    mx_endpoint_addr_t self{};
    REQUIRE_EQ(mx_get_endpoint_addr(p.a, &self), MX_SUCCESS);
    REQUIRE_EQ(mx_issend(p.a, pieces, 5, self, 1, nullptr, nullptr), MX_SUCCESS);
    CHECK_EQ(mx_close_endpoint(p.a), MX_SUCCESS);
    p.a = nullptr;
}
