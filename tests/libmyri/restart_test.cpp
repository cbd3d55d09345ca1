// SPDX-License-Identifier: BSD-3-Clause
// The library when its card is restarted under it, or dies.
#include <array>
#include <string>

#include "tests/libmyri/pair.h"

using namespace myri::test;

namespace {

constexpr uint64_t US = 1000000, MS = 1000 * US;

// Lengths of all classes; every third one is synchronous.
constexpr std::array<uint32_t, 12> LENGTHS = {0, 8, 40, 128, 129, 5000, 20000, 32768, 32769, 100000, 300000, 1};

mx_endpoint_addr_t address_of(mx_endpoint_t from, uint32_t endpoint) {
    mx_endpoint_addr_t address{};
    REQUIRE_EQ(mx_connect(from, FakeFabric::mac, endpoint, 7, 1000, &address), MX_SUCCESS);
    return address;
}

struct Stream {
    mx_endpoint_t from, to;
    mx_endpoint_addr_t address;
    uint32_t seed;
    std::vector<Bytes> out{}, in{};
    std::vector<mx_request_t> sends{}, receives{};

    // All of one match value, so that they must come in the order in which they were sent.
    void post() {
        for (size_t n = 0; n < LENGTHS.size(); n++) {
            out.push_back(pattern(LENGTHS[n], seed + static_cast<uint32_t>(n)));
            in.emplace_back(LENGTHS[n] + 1, uint8_t{0x5a});
        }
        for (size_t n = 0; n < LENGTHS.size(); n++) {
            mx_segment_t s{in[n].data(), static_cast<uint32_t>(in[n].size())};
            receives.push_back(nullptr);
            REQUIRE_EQ(mx_irecv(to, &s, 1, seed, MX_MATCH_MASK_NONE, nullptr, &receives.back()), MX_SUCCESS);
        }
        for (size_t n = 0; n < LENGTHS.size(); n++) {
            mx_segment_t s{out[n].data(), static_cast<uint32_t>(out[n].size())};
            sends.push_back(nullptr);
            REQUIRE_EQ((n % 3 == 2 ? mx_issend : mx_isend)(from, &s, 1, address, seed, nullptr, &sends.back()),
                       MX_SUCCESS);
        }
    }
    void finish() {
        for (size_t n = 0; n < LENGTHS.size(); n++) {
            const mx_status_t got = Pair::wait(to, receives[n]);
            CHECK_EQ(got.code, MX_STATUS_SUCCESS);
            CHECK_EQ(got.msg_length, LENGTHS[n]);
            in[n].pop_back();
            CHECK(in[n] == out[n]);
            CHECK_EQ(Pair::wait(from, sends[n]).code, MX_STATUS_SUCCESS);
        }
    }
};

// When the streams below are over without any failure.
uint64_t usual_end() {
    Pair p;
    Stream there{p.a, p.b, p.to_b, 100}, back{p.b, p.a, address_of(p.b, 0), 200};
    const uint64_t begin = myri_time();
    there.post();
    back.post();
    there.finish();
    back.finish();
    return myri_time() - begin;
}

mx_return_t send_one(const Pair& p, mx_request_t& request) {
    static uint8_t byte = 1;
    mx_segment_t s{&byte, 1};
    return mx_isend(p.a, &s, 1, p.to_b, 1, nullptr, &request);
}

} // namespace

TEST_CASE("messages of all classes, both ways, survive a restart of the card at any time") {
    const uint64_t end = usual_end();
    constexpr unsigned TIMES = 60;
    for (unsigned n = 0; n < TIMES; n++) {
        CAPTURE(n);
        Pair p(n + 1);
        Stream there{p.a, p.b, p.to_b, 100}, back{p.b, p.a, address_of(p.b, 0), 200};
        const uint64_t begin = myri_time();
        p.fabric.restart_card(begin + end * n / (TIMES * 5 / 4), 50 * MS); // before the end with any seed
        p.fabric.faults.shuffle_stores = n % 2;
        there.post();
        back.post();
        there.finish();
        back.finish();
        CHECK_EQ(p.fabric.restarts, 1u);
        CHECK_EQ(Pair::counters(p.a).restarts, 1u);
        CHECK_EQ(Pair::counters(p.b).restarts, 1u);
        // What was lost is sent again at once and not by timers of up to half a second.
        CHECK(myri_time() - begin < 100 * MS);
        // Nothing is left that nobody has asked for.
        uint32_t result = 1;
        mx_status_t status;
        CHECK_EQ(mx_iprobe(p.b, 0, 0, &status, &result), MX_SUCCESS);
        CHECK_EQ(result, 0u);
    }
}

TEST_CASE("a restart while the network loses packets") {
    for (unsigned n = 0; n < 10; n++) {
        CAPTURE(n);
        Pair p(n + 70);
        Stream there{p.a, p.b, p.to_b, 100}, back{p.b, p.a, address_of(p.b, 0), 200};
        p.fabric.faults.drop = p.fabric.faults.corrupt = 0.02;
        p.fabric.restart_card(myri_time() + n * 100 * US, 20 * MS);
        there.post();
        back.post();
        there.finish();
        back.finish();
        CHECK_EQ(Pair::counters(p.a).restarts, 1u);
    }
}

TEST_CASE("a registration outlives a restart: a large message after it needs no new one") {
    Pair p;
    const Bytes data = pattern(200000, 3);
    Bytes to(data.size());
    for (int round = 0; round < 2; round++) {
        const mx_request_t r = p.receive(to.data(), to.size(), 5), s = p.send(data, 5);
        CHECK_EQ(Pair::wait(p.b, r).code, MX_STATUS_SUCCESS);
        CHECK_EQ(Pair::wait(p.a, s).code, MX_STATUS_SUCCESS);
        CHECK(to == data);
        if (round == 0) {
            p.fabric.restart_card(myri_time() + US, MS);
            myri_sleep(10 * MS);
            CHECK_EQ(Pair::counters(p.a).restarts, 1u);
        }
    }
    CHECK_EQ(p.fabric.registered(0), 1u);
    CHECK_EQ(p.fabric.registered(1), 1u);
}

TEST_CASE("a dead card ends every request once, and calls say so") {
    Pair p;
    Bytes data = pattern(300000, 1), to(10);
    std::vector<std::pair<mx_endpoint_t, mx_request_t>> pending;
    pending.emplace_back(p.a, p.send(data, 1));                // not matched
    pending.emplace_back(p.a, p.send(pattern(10, 2), 2, true)); // likewise
    pending.emplace_back(p.b, p.receive(to.data(), to.size(), 77)); // nobody sends
    mx_request_t connect = nullptr;
    REQUIRE_EQ(mx_iconnect(p.a, FakeFabric::mac, 9, 7, 3, nullptr, &connect), MX_SUCCESS); // nobody there
    pending.emplace_back(p.a, connect);
    p.fabric.kill_card(myri_time() + US);
    for (auto& [ep, request] : pending) {
        mx_status_t status{};
        uint32_t result = 0;
        CHECK_EQ(mx_wait(ep, &request, 100000, &status, &result), MX_SUCCESS);
        CHECK_EQ(result, 1u);
        CHECK_EQ(status.code, MX_STATUS_ABORTED);
    }
    uint32_t result = 1;
    mx_status_t status{};
    mx_request_t request = nullptr;
    CHECK_EQ(mx_wait_any(p.a, MX_INFINITE, 0, 0, &status, &result), MX_NIC_DEAD);
    CHECK_EQ(result, 0u);
    CHECK_EQ(mx_probe(p.b, MX_INFINITE, 0, 0, &status, &result), MX_NIC_DEAD);
    CHECK_EQ(mx_peek(p.b, MX_INFINITE, &request, &result), MX_NIC_DEAD);
    CHECK_EQ(send_one(p, request), MX_NIC_DEAD);
    mx_segment_t segment{to.data(), 1};
    CHECK_EQ(mx_irecv(p.b, &segment, 1, 1, MX_MATCH_MASK_NONE, nullptr, &request), MX_NIC_DEAD);
    CHECK_EQ(mx_connect(p.a, FakeFabric::mac, 1, 7, 1000, nullptr), MX_NIC_DEAD);
    CHECK_EQ(mx_progress(p.a), MX_NIC_DEAD);
    CHECK_EQ(mx_close_endpoint(p.a), MX_SUCCESS);
    p.a = nullptr;
}

TEST_CASE("a call that waits for anything ends when its card dies") {
    Pair p;
    p.fabric.kill_card(myri_time() + 5 * MS);
    uint32_t result = 1;
    mx_status_t status{};
    CHECK_EQ(mx_probe(p.b, MX_INFINITE, 0, 0, &status, &result), MX_NIC_DEAD);
    CHECK_EQ(result, 0u);
}
