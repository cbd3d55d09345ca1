// SPDX-License-Identifier: BSD-3-Clause
// Messages between two endpoints of one process over a fake card: every size class, faults, truncation,
// ordering.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "tests/libmyri/pair.h"

using namespace myri::test;

namespace {

const size_t sizes[] = {0,    1,    15,    16,    17,    32,    33,    127,   128,   129,    4095,   4096,
                        4097, 8192, 20000, 32767, 32768, 32769, 65535, 65536, 65537, 100000, 1 << 20};

} // namespace

TEST_CASE("every size arrives whole, receive posted first or last") {
    Pair p;
    for (const size_t n : sizes)
        for (const bool first : {true, false}) {
            CAPTURE(n);
            const Bytes data = pattern(n, 1);
            Bytes got(n + 64, 0xee);
            mx_request_t r = first ? p.receive(got.data(), n, 5) : nullptr;
            mx_request_t s = p.send(data, 5);
            if (!first) {
                myri_sleep(300000000); // it has become unexpected
                r = p.receive(got.data(), n, 5);
            }
            const mx_status_t got_status = Pair::wait(p.b, r), sent_status = Pair::wait(p.a, s);
            CHECK_EQ(got_status.code, MX_STATUS_SUCCESS);
            CHECK_EQ(got_status.msg_length, n);
            CHECK_EQ(got_status.xfer_length, n);
            CHECK_EQ(got_status.match_info, 5u);
            CHECK_EQ(sent_status.code, MX_STATUS_SUCCESS);
            CHECK_EQ(sent_status.xfer_length, n);
            CHECK(std::equal(data.begin(), data.end(), got.begin()));
            CHECK(std::all_of(got.begin() + static_cast<long>(n), got.end(),
                              [](uint8_t c) { return c == 0xee; }));
            if (n <=
                32768) // later this one process computes checksums so long that acknowledgements are late
                CHECK_EQ(Pair::counters(p.a).resends, 0u);
        }
    CHECK_EQ(Pair::counters(p.b).bad_checksum, 0u);
}

TEST_CASE("a long message goes window by window") {
    Pair p;
    const size_t n = (20u << 20) + 12345;
    const Bytes data = pattern(n, 3);
    Bytes got(n);
    mx_request_t r = p.receive(got.data(), n, 1);
    mx_request_t s = p.send(data, 1);
    CHECK_EQ(Pair::wait(p.b, r).xfer_length, n);
    CHECK_EQ(Pair::wait(p.a, s).xfer_length, n);
    CHECK(got == data);
    myri_sleep(1000000);
    // Three windows, the first with the rendezvous. (Packets may have been repeated.)
    CHECK(p.fabric.sent_by_kind[MSG_WINDOW_NEXT] >= 2u);
    CHECK(p.fabric.sent_by_kind[MSG_WINDOW_DONE] >= 2u);
    CHECK_EQ(p.fabric.sent_by_kind[MSG_NOTIFY], 1u);
    CHECK_FALSE(p.fabric.grants_open(0));
}

TEST_CASE("truncation stores what fits and nothing else, in every class") {
    Pair p;
    for (const size_t n : {10u, 120u, 4097u, 20000u, 32768u, 32769u, 70000u, 1u << 20})
        for (const size_t room : {size_t{0}, size_t{1}, n / 2, n - 1})
            for (const bool first : {true, false}) {
                CAPTURE(n);
                CAPTURE(room);
                const Bytes data = pattern(n, 9);
                Bytes got(n + 64, 0xee);
                mx_request_t r = first ? p.receive(got.data(), room, 2) : nullptr;
                mx_request_t s = p.send(data, 2);
                if (!first) {
                    myri_sleep(300000000);
                    r = p.receive(got.data(), room, 2);
                }
                const mx_status_t status = Pair::wait(p.b, r), sent = Pair::wait(p.a, s);
                CHECK_EQ(status.code, MX_STATUS_TRUNCATED);
                CHECK_EQ(status.msg_length, n);
                CHECK_EQ(status.xfer_length, room);
                CHECK(std::equal(got.begin(), got.begin() + static_cast<long>(room), data.begin()));
                CHECK(std::all_of(got.begin() + static_cast<long>(room), got.end(),
                                  [](uint8_t c) { return c == 0xee; }));
                const bool eager = n <= 32768;
                CHECK_EQ(sent.code, eager ? MX_STATUS_SUCCESS : MX_STATUS_TRUNCATED);
                CHECK_EQ(sent.xfer_length, eager ? n : room);
            }
}

TEST_CASE("an issend completes only when it is matched, also with no bytes") {
    Pair p;
    for (const size_t n : {0u, 5u, 5000u}) {
        const Bytes data = pattern(n, 2);
        mx_request_t s = p.send(data, 8, true);
        mx_status_t status;
        uint32_t result = 1;
        REQUIRE_EQ(mx_wait(p.a, &s, 20, &status, &result), MX_SUCCESS);
        CHECK_EQ(result, 0u);
        Bytes got(n);
        mx_request_t r = p.receive(got.data(), n, 8);
        CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
        CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_SUCCESS);
        CHECK(got == data);
    }
}

TEST_CASE("matching follows the order of sending across all classes, whatever the wire does") {
    std::mt19937 random(7);
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        Pair p(seed);
        p.fabric.faults = {0.05, 0.05, 0.1, 0.05, 0.05, seed % 2 == 0};
        constexpr int count = 120;
        std::vector<Bytes> data, got;
        std::vector<mx_request_t> sends, receives;
        for (int i = 0; i < count; ++i) {
            const size_t n = sizes[random() % (i % 10 ? 15 : std::size(sizes))];
            data.push_back(pattern(n + 4, static_cast<uint32_t>(i)));
            got.emplace_back(n + 4);
        }
        size_t sent = 0, posted = 0;
        while (sent < count || posted < count) {
            if (sent < count && (random() % 2 || posted == count))
                sends.push_back(p.send(data[sent], 0x100 + sent, random() % 7 == 0)), ++sent;
            else if (posted < count)
                receives.push_back(p.receive(got[posted].data(), got[posted].size(), 0, 0)), ++posted;
            uint32_t result;
            mx_request_t r;
            if (random() % 4 == 0)
                mx_ipeek(p.b, &r, &result);
        }
        for (int i = 0; i < count; ++i) {
            CAPTURE(i);
            const mx_status_t status = Pair::wait(p.b, receives[static_cast<size_t>(i)]);
            CHECK_EQ(status.code, MX_STATUS_SUCCESS);
            CHECK_EQ(status.match_info, 0x100u + static_cast<unsigned>(i));
            CHECK(got[static_cast<size_t>(i)] == data[static_cast<size_t>(i)]);
            CHECK_EQ(Pair::wait(p.a, sends[static_cast<size_t>(i)]).code, MX_STATUS_SUCCESS);
        }
        CHECK(p.fabric.dropped > 0);
        CHECK(p.fabric.corrupted > 0);
    }
}

TEST_CASE("what is damaged is found by the checksum and nothing else would have found it") {
    Pair p;
    p.fabric.faults.corrupt = 1; // each packet once
    const Bytes data = pattern(100, 4);
    Bytes got(100);
    mx_request_t r = p.receive(got.data(), 100, 1);
    mx_request_t s = p.send(data, 1);
    myri_sleep(50000000);
    CHECK(Pair::counters(p.b).bad_checksum > 0);
    mx_status_t status;
    uint32_t result = 1;
    REQUIRE_EQ(mx_test(p.b, &r, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0u);
    p.fabric.faults.corrupt = 0;
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
    CHECK(got == data);
    Pair::wait(p.a, s);
}

TEST_CASE("damaged blocks of a large message are pulled again") {
    Pair p(5);
    p.fabric.faults.corrupt_block = 0.15;
    const size_t n = 2 << 20;
    const Bytes data = pattern(n, 6);
    Bytes got(n);
    mx_request_t r = p.receive(got.data(), n, 1);
    mx_request_t s = p.send(data, 1);
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
    Pair::wait(p.a, s);
    CHECK(got == data);
    CHECK(p.fabric.corrupted_blocks > 0);
    CHECK_EQ(Pair::counters(p.b).bad_blocks, p.fabric.corrupted_blocks);
}

TEST_CASE("a message that is damaged again and again ends the partner with an error") {
    Pair p;
    p.fabric.faults.corrupt_block = 1;
    const size_t n = 200000;
    const Bytes data = pattern(n, 6);
    Bytes got(n);
    mx_request_t r = p.receive(got.data(), n, 1);
    mx_request_t s = p.send(data, 1);
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_ABORTED);
    CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_ENDPOINT_CLOSED);
    CHECK_FALSE(p.fabric.grants_open(0));
}

TEST_CASE("a lost message is repeated; an acknowledgement that can ride along is not sent alone") {
    Pair p;
    int losses = 2;
    p.fabric.lose = [&](const msg_header& h) { return h.kind == MSG_EAGER && losses-- > 0; };
    Bytes data = pattern(8, 1), got(8);
    mx_request_t r = p.receive(got.data(), 8, 1);
    Pair::wait(p.a, p.send(data, 1));
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::counters(p.a).resends, 2u);
    p.fabric.lose = nullptr;
    myri_sleep(10000000000);

    const uint64_t acks = p.fabric.sent_by_kind[MSG_ACK];
    mx_endpoint_addr_t to_a{};
    REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 1000, &to_a), MX_SUCCESS);
    for (int i = 0; i < 50; ++i) {
        mx_segment_t s{data.data(), 8}, d{got.data(), 8};
        mx_request_t at_a = nullptr, at_b = p.receive(got.data(), 8, 1), sent = nullptr;
        REQUIRE_EQ(mx_irecv(p.a, &d, 1, 2, ~0ull, nullptr, &at_a), MX_SUCCESS);
        Pair::wait(p.a, p.send(data, 1));
        Pair::wait(p.b, at_b);
        REQUIRE_EQ(mx_isend(p.b, &s, 1, to_a, 2, nullptr, &sent), MX_SUCCESS);
        Pair::wait(p.b, sent);
        Pair::wait(p.a, at_a);
    }
    CHECK_EQ(p.fabric.sent_by_kind[MSG_ACK], acks);
}

TEST_CASE("unexpected data is bounded and the sender is pushed back, not lost") {
    mx_param_t limit{};
    limit.key = MX_PARAM_UNEXP_QUEUE_MAX;
    limit.val.unexp_queue_max = 64 << 10;
    Pair p(1, {limit});
    constexpr int count = 40;
    std::vector<Bytes> data;
    std::vector<mx_request_t> sends;
    for (int i = 0; i < count; ++i) {
        data.push_back(pattern(13000, static_cast<uint32_t>(i)));
        sends.push_back(p.send(data.back(), 1));
    }
    myri_sleep(20000000000);
    CHECK(reinterpret_cast<myri::Endpoint*>(p.b)->unexpected_bytes <= 64u << 10);
    CHECK(Pair::counters(p.b).pushed_back > 0);
    for (int i = 0; i < count; ++i) {
        Bytes got(13000);
        CHECK_EQ(Pair::wait(p.b, p.receive(got.data(), 13000, 1)).code, MX_STATUS_SUCCESS);
        CHECK(got == data[static_cast<size_t>(i)]);
    }
    for (mx_request_t s : sends)
        Pair::wait(p.a, s);
}

TEST_CASE("many unmatched rendezvous do not keep a matched one from its data") {
    Pair p;
    const Bytes data = pattern(50000, 1);
    std::vector<mx_request_t> sends;
    for (int i = 0; i < 40; ++i)
        sends.push_back(p.send(data, static_cast<uint64_t>(i)));
    for (int i = 39; i >= 0; --i) {
        Bytes got(50000);
        CHECK_EQ(Pair::wait(p.b, p.receive(got.data(), got.size(), static_cast<uint64_t>(i))).code,
                 MX_STATUS_SUCCESS);
        CHECK(got == data);
        CHECK_EQ(Pair::wait(p.a, sends[static_cast<size_t>(i)]).code, MX_STATUS_SUCCESS);
    }
}

TEST_CASE("scattered buffers, too many pieces for the card included") {
    Pair p;
    for (const uint32_t piece : {1u, 100u, 300u, 5000u, 20000u}) {
        Bytes from = pattern(256 * piece * 2, piece), to(256 * piece * 2);
        mx_segment_t s[256], d[256];
        for (uint32_t i = 0; i < 256; ++i) {
            s[i] = {from.data() + i * piece * 2, piece};
            d[255 - i] = {to.data() + i * piece * 2, i % 3 ? piece : 0};
        }
        mx_request_t sent = nullptr, got = nullptr;
        REQUIRE_EQ(mx_irecv(p.b, d, 256, 1, ~0ull, nullptr, &got), MX_SUCCESS);
        REQUIRE_EQ(mx_isend(p.a, s, 256, p.to_b, 1, nullptr, &sent), MX_SUCCESS);
        std::memset(s, 0, sizeof s); // the lists are the caller's again
        const mx_status_t status = Pair::wait(p.b, got);
        Pair::wait(p.a, sent);
        Bytes stream, expected;
        for (uint32_t i = 0; i < 256; ++i) {
            expected.insert(expected.end(), from.begin() + i * piece * 2,
                            from.begin() + i * piece * 2 + piece);
            stream.insert(stream.end(), static_cast<uint8_t*>(d[i].segment_ptr),
                          static_cast<uint8_t*>(d[i].segment_ptr) + d[i].segment_length);
        }
        expected.resize(stream.size());
        CHECK(stream == expected);
        CHECK_EQ(status.xfer_length, stream.size());
        CHECK_EQ(status.code, MX_STATUS_TRUNCATED);
    }
}

TEST_CASE("registered memory is kept for the next message and given up when windows are short") {
    Pair p;
    p.fabric.windows_per_endpoint = 4;
    std::vector<Bytes> buffers;
    for (uint32_t i = 0; i < 10; ++i)
        buffers.push_back(pattern(40000, i));
    Bytes got(40000);
    for (int round = 0; round < 3; ++round)
        for (Bytes& data : buffers) {
            mx_request_t r = p.receive(got.data(), got.size(), 1);
            mx_request_t s = p.send(data, 1);
            Pair::wait(p.b, r);
            Pair::wait(p.a, s);
            CHECK(got == data);
        }
    CHECK_EQ(p.fabric.registered(0), 4u);
    CHECK_EQ(p.fabric.registered(1), 1u);
}

TEST_CASE("a peer that closes ends what waits for it") {
    Pair p;
    const Bytes big = pattern(100000, 1), medium = pattern(30000, 2);
    mx_request_t large = p.send(big, 1), issend = p.send(medium, 2, true);
    CHECK_EQ(Pair::wait(p.a, p.send(medium, 3)).code, MX_STATUS_SUCCESS);
    myri_sleep(1000000000);
    REQUIRE_EQ(mx_close_endpoint(p.b), MX_SUCCESS);
    p.b = nullptr;
    CHECK_EQ(Pair::wait(p.a, large).code, MX_STATUS_ENDPOINT_CLOSED);
    CHECK_EQ(Pair::wait(p.a, issend).code, MX_STATUS_ENDPOINT_CLOSED);
    CHECK_EQ(Pair::wait(p.a, p.send(medium, 3)).code, MX_STATUS_ENDPOINT_CLOSED);
    CHECK_FALSE(p.fabric.grants_open(0));
}

TEST_CASE("a peer that dies without a word is found out by refusals") {
    Pair p;
    const Bytes big = pattern(100000, 1);
    mx_request_t large = p.send(big, 1);
    myri_sleep(1000000000);
    p.fabric.kill(1);
    CHECK_EQ(Pair::wait(p.a, large).code, MX_STATUS_ENDPOINT_CLOSED);
    CHECK_FALSE(p.fabric.grants_open(0));
}

TEST_CASE("silence is given up after the request timeout") {
    Pair p;
    REQUIRE_EQ(mx_set_request_timeout(p.a, nullptr, 2000), MX_SUCCESS);
    p.fabric.lose = [](const msg_header&) { return true; };
    const Bytes small = pattern(10, 1), big = pattern(100000, 1);
    const uint64_t before = myri_time();
    mx_request_t large = p.send(big, 1);
    const mx_status_t status = Pair::wait(p.a, large);
    CHECK_EQ(status.code, MX_STATUS_TIMEOUT);
    CHECK(myri_time() - before >= 2000 * 1000000000ull);
    CHECK(myri_time() - before < 2600 * 1000000000ull);
    CHECK_EQ(Pair::wait(p.a, p.send(small, 1)).code, MX_STATUS_ENDPOINT_UNREACHABLE);
}

TEST_CASE("connecting: wrong key, closed endpoint, unknown card, id out of range") {
    Pair p;
    mx_endpoint_addr_t addr;
    CHECK_EQ(mx_connect(p.a, FakeFabric::mac, 1, 8, 1000, &addr), MX_BAD_CONNECTION_KEY);
    CHECK_EQ(mx_connect(p.a, FakeFabric::mac, 5, 7, 1000, &addr), MX_CONNECTION_FAILED);
    CHECK_EQ(mx_connect(p.a, 0x123456, 1, 7, 1000, &addr), MX_NIC_NOT_FOUND);
    CHECK_EQ(mx_connect(p.a, FakeFabric::mac, 32, 7, 1000, &addr), MX_BAD_ENDPOINT_ID);
    p.fabric.lose = [](const msg_header& h) { return h.kind == MSG_CONNECT; };
    const uint64_t before = myri_time();
    CHECK_EQ(mx_connect(p.a, FakeFabric::mac, 1, 7, 50, &addr), MX_TIMEOUT);
    CHECK_EQ((myri_time() - before) / 1000000000u, 50u);
    p.fabric.lose = nullptr;
    REQUIRE_EQ(mx_connect(p.a, FakeFabric::mac, 1, 7, 1000, &addr), MX_SUCCESS);
    CHECK(std::memcmp(&addr, &p.to_b, sizeof addr) == 0);
    REQUIRE_EQ(mx_connect(p.a, FakeFabric::mac, 0, 7, 1000, &addr), MX_SUCCESS); // itself
}

TEST_CASE("a peer that is opened again is another one: the old address is refused until connected") {
    Pair p;
    const Bytes data = pattern(10, 1);
    p.fabric.lose = [](const msg_header&) { return true; }; // it closes unheard
    REQUIRE_EQ(mx_close_endpoint(p.b), MX_SUCCESS);
    p.fabric.lose = nullptr;
    REQUIRE_EQ(mx_open_endpoint(0, 1, 7, nullptr, 0, &p.b), MX_SUCCESS);
    CHECK_EQ(Pair::wait(p.a, p.send(data, 1)).code, MX_STATUS_SUCCESS); // an eager send is reported at once
    myri_sleep(1000000000);
    CHECK_EQ(Pair::wait(p.a, p.send(data, 1)).code, MX_STATUS_BAD_SESSION);
    CHECK_EQ(Pair::counters(p.a).lost_sends, 1u);
    REQUIRE_EQ(mx_connect(p.a, FakeFabric::mac, 1, 7, 1000, &p.to_b), MX_SUCCESS);
    Bytes got(10);
    mx_request_t r = p.receive(got.data(), 10, 1);
    Pair::wait(p.a, p.send(data, 1));
    CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
}

TEST_CASE("disconnecting and connecting again goes on without loss or repetition") {
    Pair p;
    p.fabric.faults.drop = 0.2;
    uint32_t number = 0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 5; ++i)
            Pair::wait(p.a, p.send(pattern(100, number++), 1));
        mx_disconnect(p.a, p.to_b);
        while (mx_connect(p.a, FakeFabric::mac, 1, 7, 1000, &p.to_b) != MX_SUCCESS) {
        }
        number = static_cast<uint32_t>(round + 1) * 1000;
        Bytes got(100);
        Pair::wait(p.a, p.send(pattern(100, number), 2));
        const mx_status_t status = Pair::wait(p.b, p.receive(got.data(), 100, 2));
        CHECK_EQ(status.code, MX_STATUS_SUCCESS);
        CHECK(got == pattern(100, number));
    }
}

TEST_CASE("messages to oneself") {
    Pair p;
    mx_endpoint_addr_t self{};
    REQUIRE_EQ(mx_get_endpoint_addr(p.a, &self), MX_SUCCESS);
    for (const size_t n : {0u, 20u, 5000u, 100000u}) {
        const Bytes data = pattern(n, 1);
        Bytes got(n);
        mx_segment_t s{const_cast<uint8_t*>(data.data()), static_cast<uint32_t>(n)},
            d{got.data(), static_cast<uint32_t>(n)};
        for (const bool synchronous : {false, true}) {
            mx_request_t sent = nullptr, r = nullptr;
            uint32_t result = 0;
            mx_status_t status{};
            REQUIRE_EQ((synchronous ? mx_issend : mx_isend)(p.a, &s, 1, self, 3, nullptr, &sent), MX_SUCCESS);
            REQUIRE_EQ(mx_iprobe(p.a, 3, ~0ull, &status, &result), MX_SUCCESS);
            CHECK_EQ(result, 1u);
            CHECK_EQ(status.xfer_length, n);
            mx_request_t copy = sent;
            REQUIRE_EQ(mx_test(p.a, &copy, &status, &result), MX_SUCCESS);
            CHECK_EQ(result, !synchronous && n <= 32768 ? 1u : 0u);
            const bool done = result;
            REQUIRE_EQ(mx_irecv(p.a, &d, 1, 3, ~0ull, nullptr, &r), MX_SUCCESS);
            CHECK_EQ(Pair::wait(p.a, r).xfer_length, n);
            if (!done)
                CHECK_EQ(Pair::wait(p.a, sent).xfer_length, n);
            CHECK(got == data);
        }
    }
}

TEST_CASE("the unexpected handler sees each message once, and may take it") {
    Pair p;
    struct Seen {
        std::vector<uint32_t> lengths;
        std::vector<bool> with_data;
        mx_unexp_handler_action_t answer = MX_RECV_FINISHED;
    } seen;
    const auto handler = [](void* context, mx_endpoint_addr_t, uint64_t, uint32_t length, void* data) {
        auto& s = *static_cast<Seen*>(context);
        s.lengths.push_back(length);
        s.with_data.push_back(data != nullptr &&
                              (length == 0 || std::memcmp(data, pattern(length, 1).data(), length) == 0));
        return s.answer;
    };
    REQUIRE_EQ(mx_register_unexp_handler(p.b, handler, &seen), MX_SUCCESS);
    for (const size_t n : {0u, 16u, 100u, 1024u, 4096u, 5000u, 40000u}) {
        const Bytes data = pattern(n, 1);
        mx_request_t s = p.send(data, 1);
        const mx_status_t status = Pair::wait(p.a, s);
        CHECK_EQ(status.code, n > 32768 ? MX_STATUS_TRUNCATED : MX_STATUS_SUCCESS);
        CHECK_EQ(status.xfer_length, n > 32768 ? 0 : n);
        myri_sleep(1000000000);
    }
    CHECK(seen.lengths == std::vector<uint32_t>{0, 16, 100, 1024, 4096, 5000, 40000});
    CHECK(seen.with_data == std::vector<bool>{true, true, true, true, true, false, false});
    uint32_t result = 1;
    mx_status_t status;
    REQUIRE_EQ(mx_iprobe(p.b, 0, 0, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0u);
    seen.answer = MX_RECV_CONTINUE;
    const Bytes data = pattern(50, 1);
    Pair::wait(p.a, p.send(data, 1));
    Bytes got(50);
    myri_sleep(1000000000);
    CHECK_EQ(seen.lengths.size(), 8u);
    CHECK_EQ(Pair::wait(p.b, p.receive(got.data(), 50, 1)).code, MX_STATUS_SUCCESS);
    CHECK(got == data);
}

TEST_CASE("a cancelled receive is gone, a matched one is not") {
    Pair p;
    Bytes got(10), data = pattern(10, 1);
    mx_request_t r = p.receive(got.data(), 10, 1);
    uint32_t result = 0;
    REQUIRE_EQ(mx_cancel(p.b, &r, &result), MX_SUCCESS);
    CHECK_EQ(result, 1u);
    CHECK(r == nullptr);
    CHECK_EQ(mx_cancel(p.b, &r, &result), MX_BAD_REQUEST);
    mx_request_t s = p.send(data, 1);
    CHECK_EQ(mx_cancel(p.a, &s, &result), MX_CANCEL_NOT_SUPPORTED);
    Pair::wait(p.a, s);
    myri_sleep(1000000000);
    r = p.receive(got.data(), 10, 1);
    REQUIRE_EQ(mx_cancel(p.b, &r, &result), MX_SUCCESS);
    CHECK_EQ(result, 0u);
    CHECK_EQ(Pair::wait(p.b, r).xfer_length, 10u);
}

TEST_CASE("waits end at their time, with success and no result") {
    Pair p;
    Bytes got(10);
    mx_request_t r = p.receive(got.data(), 10, 1);
    mx_status_t status;
    uint32_t result = 1;
    const uint64_t before = myri_time();
    REQUIRE_EQ(mx_wait(p.b, &r, 50, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0u);
    CHECK(myri_time() - before >= 50 * 1000000000ull);
    CHECK(myri_time() - before < 51 * 1000000000ull);
    REQUIRE_EQ(mx_cancel(p.b, &r, &result), MX_SUCCESS);
}
