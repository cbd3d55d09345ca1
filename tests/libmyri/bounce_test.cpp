// SPDX-License-Identifier: BSD-3-Clause
// Large messages of endpoints whose card cannot reach the process's memory, at one end or both: over a fake card that
// registers nothing but the bounce area there.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/libmyri/pair.h"

using namespace myri::test;

namespace {

using Sides = std::array<uint32_t, 2>;
constexpr uint32_t large_area = 6u << 20, smallest = MYRI_BOUNCE_MIN;
const Sides all_sides[] = {{large_area, 0}, {0, large_area}, {large_area, large_area}, {smallest, smallest},
                           {smallest, 0}, {0, smallest}, {large_area + 4096, 100u << 20}};

#define CAPTURE_SIDES(n) \
    CAPTURE(sides[0]);   \
    CAPTURE(sides[1]);   \
    CAPTURE(n)

bool untouched(const Bytes& bytes, size_t from) {
    return std::all_of(bytes.begin() + static_cast<long>(from), bytes.end(), [](uint8_t c) { return c == 0xee; });
}

} // namespace

TEST_CASE("large messages of every size arrive whole, whichever end bounces, with one window registered") {
    for (const Sides& sides : all_sides) {
        Pair p(1, {}, sides);
        for (const size_t n : {32769u, 65535u, 65536u, 262144u, 262145u, 524289u, 1000003u, (9u << 20) + 5}) {
            CAPTURE_SIDES(n);
            const Bytes data = pattern(n, static_cast<uint32_t>(n));
            Bytes got(n + 64, 0xee);
            mx_request_t r = p.receive(got.data(), n, 5), s = p.send(data, 5);
            const mx_status_t status = Pair::wait(p.b, r), sent = Pair::wait(p.a, s);
            CHECK_EQ(status.code, MX_STATUS_SUCCESS);
            CHECK_EQ(status.xfer_length, n);
            CHECK_EQ(sent.code, MX_STATUS_SUCCESS);
            CHECK_EQ(sent.xfer_length, n);
            CHECK(std::equal(data.begin(), data.end(), got.begin()));
            CHECK(untouched(got, n));
        }
        for (const uint32_t end : {0u, 1u})
            if (sides[end])
                CHECK_EQ(p.fabric.registered(end), 1u);
        CHECK_EQ(Pair::counters(p.b).bad_blocks, 0u);
        CHECK_EQ(Pair::counters(p.a).malformed + Pair::counters(p.b).malformed, 0u);
        myri_sleep(1000000000);
        CHECK_FALSE(p.fabric.grants_open(0));
    }
}

TEST_CASE("issends of few bytes or none bounce too") {
    for (const Sides& sides : all_sides) {
        Pair p(1, {}, sides);
        for (const size_t n : {0u, 1u, 5000u, 32768u}) {
            CAPTURE_SIDES(n);
            const Bytes data = pattern(n, 2);
            Bytes got(n + 8, 0xee);
            mx_request_t r = p.receive(got.data(), n, 5), s = p.send(data, 5, true);
            CHECK_EQ(Pair::wait(p.b, r).xfer_length, n);
            CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_SUCCESS);
            CHECK(std::equal(data.begin(), data.end(), got.begin()));
            CHECK(untouched(got, n));
        }
    }
}

TEST_CASE("truncation stores what fits and nothing else, whichever end bounces") {
    for (const Sides& sides : all_sides) {
        Pair p(1, {}, sides);
        for (const size_t n : {32769u, 300000u, 1u << 20})
            for (const size_t room : {size_t{0}, size_t{1}, n / 2, size_t{32768}, n - 1}) {
                CAPTURE_SIDES(n);
                CAPTURE(room);
                const Bytes data = pattern(n, 9);
                Bytes got(n + 64, 0xee);
                mx_request_t r = p.receive(got.data(), room, 2), s = p.send(data, 2);
                const mx_status_t status = Pair::wait(p.b, r), sent = Pair::wait(p.a, s);
                CHECK_EQ(status.code, MX_STATUS_TRUNCATED);
                CHECK_EQ(status.msg_length, n);
                CHECK_EQ(status.xfer_length, room);
                CHECK(std::equal(got.begin(), got.begin() + static_cast<long>(room), data.begin()));
                CHECK(untouched(got, room));
                CHECK_EQ(sent.code, MX_STATUS_TRUNCATED);
                CHECK_EQ(sent.xfer_length, room);
            }
    }
}

TEST_CASE("a block that was damaged between the areas is pulled again, also one that is cut") {
    for (const Sides& sides : all_sides) {
        Pair p(5, {}, sides);
        p.fabric.faults.corrupt_block = 0.15;
        for (const size_t room : {size_t{3} << 20, (size_t{2} << 20) + 17}) {
            CAPTURE_SIDES(room);
            const Bytes data = pattern(3 << 20, 6);
            Bytes got(room);
            mx_request_t r = p.receive(got.data(), room, 1), s = p.send(data, 1);
            CHECK_EQ(Pair::wait(p.b, r).xfer_length, room);
            CHECK_EQ(Pair::wait(p.a, s).xfer_length, room);
            CHECK(std::equal(got.begin(), got.end(), data.begin()));
        }
        CHECK(p.fabric.corrupted_blocks > 0);
        CHECK_EQ(Pair::counters(p.b).bad_blocks, p.fabric.corrupted_blocks);
    }
}

TEST_CASE("damage is the check's to find: without it the same block arrives damaged") {
    for (const Sides& sides : all_sides) {
        setenv("MX_CSUM", "0", 1);
        Pair p(5, {}, sides);
        unsetenv("MX_CSUM");
        p.fabric.faults.corrupt_block = 1;
        const Bytes data = pattern(100000, 6);
        Bytes got(100000);
        mx_request_t r = p.receive(got.data(), got.size(), 1), s = p.send(data, 1);
        CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
        CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_SUCCESS);
        int differ = 0;
        for (size_t i = 0; i < data.size(); ++i)
            differ += data[i] != got[i];
        CHECK_EQ(differ, 4); // a bit in each block
    }
}

TEST_CASE("a window whose grant is refused is asked for again, whichever end bounces") {
    for (const Sides& sides : all_sides) {
        Pair p(1, {}, sides);
        std::vector<uint32_t> grants; // in the order in which they were pulled
        p.fabric.refuse_pull = [&](uint32_t grant) {
            if (std::find(grants.begin(), grants.end(), grant) == grants.end())
                grants.push_back(grant);
            return grants.size() > 1 && grants[1] == grant;
        };
        const size_t n = (17u << 20) + 100;
        CAPTURE_SIDES(n);
        const Bytes data = pattern(n, 3);
        Bytes got(n);
        mx_request_t r = p.receive(got.data(), n, 1), s = p.send(data, 1);
        CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
        CHECK_EQ(Pair::wait(p.a, s).xfer_length, n);
        CHECK(got == data);
        CHECK_EQ(Pair::counters(p.b).malformed, 0u);
        myri_sleep(1000000000);
        CHECK_FALSE(p.fabric.grants_open(0));
    }
}

TEST_CASE("more messages each way than the areas have shares, matched or not, all end") {
    for (const Sides& sides : all_sides)
        for (const bool lossy : {false, true}) {
            Pair p(3, {}, sides);
            if (lossy)
                p.fabric.faults = {
                    .drop = 0.02, .duplicate = 0.02, .reorder = 0.02, .corrupt = 0.02, .corrupt_block = 0.02};
            mx_endpoint_addr_t to_a{};
            REQUIRE_EQ(mx_connect(p.b, FakeFabric::mac, 0, 7, 100000, &to_a), MX_SUCCESS);
            const mx_endpoint_t ends[2] = {p.a, p.b};
            const mx_endpoint_addr_t others[2] = {p.to_b, to_a};
            constexpr uint64_t count = 40;
            std::vector<Bytes> data, got[2];
            std::vector<mx_request_t> sends[2], receives[2];
            for (uint64_t i = 0; i < count; ++i)
                data.push_back(pattern(33000 + i * 9000, static_cast<uint32_t>(i)));
            for (const int e : {0, 1})
                for (uint64_t i = 0; i < count; ++i) {
                    const Bytes& d = data[i];
                    mx_segment_t s{const_cast<uint8_t*>(d.data()), static_cast<uint32_t>(d.size())};
                    mx_request_t request = nullptr;
                    REQUIRE_EQ(mx_isend(ends[e], &s, 1, others[e], i, nullptr, &request), MX_SUCCESS);
                    sends[e].push_back(request);
                }
            // The last sent is matched first, so at first all grants that were given are for nobody.
            for (const int e : {0, 1}) {
                got[e].resize(count);
                receives[e].resize(count);
                for (uint64_t i = count; i-- > 0;) {
                    got[e][i].resize(data[i].size());
                    mx_segment_t s{got[e][i].data(), static_cast<uint32_t>(got[e][i].size())};
                    REQUIRE_EQ(mx_irecv(ends[e], &s, 1, i, ~0ull, nullptr, &receives[e][i]), MX_SUCCESS);
                }
            }
            for (uint64_t i = 0; i < count; ++i)
                for (const int e : {0, 1}) {
                    CHECK_EQ(Pair::wait(ends[e], receives[e][i]).code, MX_STATUS_SUCCESS);
                    CHECK_EQ(Pair::wait(ends[1 - e], sends[1 - e][i]).code, MX_STATUS_SUCCESS);
                    CHECK(got[e][i] == data[i]);
                }
        }
}

TEST_CASE("a bounce area that has no share for each handle is refused") {
    FakeFabric fabric;
    fabric.bounce_bytes[0] = smallest - 1;
    myri::use_driver(&fabric);
    mx_set_error_handler(MX_ERRORS_RETURN);
    REQUIRE_EQ(mx_init(), MX_SUCCESS);
    mx_endpoint_t e = nullptr;
    CHECK_EQ(mx_open_endpoint(0, 0, 7, nullptr, 0, &e), MX_NO_RESOURCES);
    CHECK_EQ(mx_open_endpoint(0, 1, 7, nullptr, 0, &e), MX_SUCCESS);
    mx_close_endpoint(e);
    mx_finalize();
    myri::use_driver(nullptr);
}
