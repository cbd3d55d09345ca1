// SPDX-License-Identifier: BSD-3-Clause
// Registrations: kept while their memory stays mapped, given up where the system locks no more memory.
#include "tests/libmyri/pair.h"

#include "libmyri/memory_limit.h"

#include <cstring>
#include <string>

using namespace myri::test;

namespace {

constexpr size_t LARGE = 300000;

void exchange(Pair& pair, const Bytes& data, uint64_t match) {
    Bytes got(data.size());
    mx_request_t receive = pair.receive(got.data(), got.size(), match);
    mx_request_t send = pair.send(data, match);
    CHECK_EQ(Pair::wait(pair.a, send).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, receive).code, MX_STATUS_SUCCESS);
    CHECK(got == data);
}

std::string said;
mx_return_t remember(char* text, mx_return_t code) {
    said = text;
    return code;
}

} // namespace

TEST_CASE("a buffer used twice is registered once, until its memory was mapped anew") {
    Pair pair;
    const Bytes data = pattern(LARGE, 1);
    exchange(pair, data, 1);
    const unsigned before = pair.fabric.registrations_asked;
    mx_request_t again = pair.send(data, 2);
    CHECK_EQ(pair.fabric.registrations_asked, before); // found
    Bytes got(LARGE);
    mx_request_t receive = pair.receive(got.data(), LARGE, 2);
    CHECK_EQ(Pair::wait(pair.a, again).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, receive).code, MX_STATUS_SUCCESS);

    const unsigned held = pair.fabric.registered(0);
    pair.fabric.remapped(data.data() + 5000, 1);
    again = pair.send(data, 3);
    CHECK_EQ(pair.fabric.registered(0), held); // the old window went, a new one came
    CHECK_GT(pair.fabric.registrations_asked, before);
    Bytes third(LARGE);
    receive = pair.receive(third.data(), LARGE, 3);
    CHECK_EQ(Pair::wait(pair.a, again).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, receive).code, MX_STATUS_SUCCESS);
    CHECK(third == data);
}

TEST_CASE("memory mapped anew under a message on its way is not used for the next one") {
    Pair pair;
    const Bytes data = pattern(LARGE, 2);
    mx_request_t first = pair.send(data, 1);
    REQUIRE_EQ(pair.fabric.registered(0), 1u);
    pair.fabric.remapped(data.data(), LARGE);
    mx_request_t second = pair.send(data, 2); // while the first one holds its registration
    CHECK_EQ(pair.fabric.registered(0), 2u);
    Bytes got(LARGE), more(LARGE);
    mx_request_t r = pair.receive(got.data(), LARGE, 1), s = pair.receive(more.data(), LARGE, 2);
    CHECK_EQ(Pair::wait(pair.a, first).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.a, second).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, r).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, s).code, MX_STATUS_SUCCESS);
    CHECK_EQ(pair.fabric.registered(0), 1u); // the stale one went with its last user
    CHECK(more == data);
}

TEST_CASE("registrations that nobody uses make room under the limit, those of other endpoints too") {
    Pair pair;
    pair.fabric.lockable = 2 * LARGE + 1000;
    Bytes buffers[6];
    for (unsigned i = 0; i < 6; ++i) {
        buffers[i] = pattern(LARGE, i);
        exchange(pair, buffers[i], i); // each leaves one in both endpoints
    }
    // One endpoint needs all: the other one's have to go.
    const Bytes big = pattern(2 * LARGE, 9);
    mx_request_t send = pair.send(big, 9);
    CHECK_EQ(pair.fabric.registered(0), 1u);
    CHECK_EQ(pair.fabric.registered(1), 0u);
    pair.fabric.lockable = ~UINT64_C(0);
    Bytes got(2 * LARGE);
    mx_request_t receive = pair.receive(got.data(), got.size(), 9);
    CHECK_EQ(Pair::wait(pair.a, send).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, receive).code, MX_STATUS_SUCCESS);
}

TEST_CASE("a message waits for the locked memory of another one, and does not ask again meanwhile") {
    Pair pair;
    const Bytes one = pattern(LARGE, 1), two = pattern(LARGE, 2);
    pair.fabric.lockable = LARGE + 1000;
    mx_request_t a = pair.send(one, 1), b = pair.send(two, 2);
    CHECK_EQ(pair.fabric.registered(0), 1u);
    pair.fabric.lockable = 2 * LARGE + 1000; // one at the sender and one at the receiver
    const unsigned before = pair.fabric.registrations_asked;
    Bytes first(LARGE), second(LARGE);
    mx_request_t r = pair.receive(second.data(), LARGE, 2); // asks for a grant that cannot be had yet
    for (unsigned i = 0; i < 500; ++i) {
        uint32_t result = 1;
        mx_status_t status;
        REQUIRE_EQ(mx_test(pair.a, &b, &status, &result), MX_SUCCESS);
        REQUIRE_EQ(result, 0u);
    }
    CHECK_LE(pair.fabric.registrations_asked - before, 1u);
    mx_request_t s = pair.receive(first.data(), LARGE, 1);
    CHECK_EQ(Pair::wait(pair.a, a).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, s).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.a, b).code, MX_STATUS_SUCCESS);
    CHECK_EQ(Pair::wait(pair.b, r).code, MX_STATUS_SUCCESS);
    CHECK(first == one);
    CHECK(second == two);
}

TEST_CASE("a send beyond the limit fails and names it; smaller ones go on") {
    Pair pair;
    pair.fabric.lockable = 65536;
    mx_set_error_handler(remember);
    const Bytes big = pattern(LARGE, 1);
    mx_segment_t s{const_cast<uint8_t*>(big.data()), LARGE};
    mx_request_t r = nullptr;
    CHECK_EQ(mx_isend(pair.a, &s, 1, pair.to_b, 1, nullptr, &r), MX_NO_RESOURCES);
    CHECK(said.find("300000 bytes cannot be locked in memory: RLIMIT_MEMLOCK is ") != std::string::npos);
    mx_set_error_handler(MX_ERRORS_RETURN);
    for (const size_t n : {0, 1, 128, 5000, 32768})
        exchange(pair, pattern(n, 3), n);
}

TEST_CASE("a receive beyond the limit ends with NO_RESOURCES, its sender too, and others go on") {
    Pair pair;
    const Bytes big = pattern(LARGE, 1);
    mx_request_t send = pair.send(big, 1);
    pair.fabric.lockable = LARGE + 1000; // the sender's
    Bytes got(LARGE);
    mx_request_t receive = pair.receive(got.data(), LARGE, 1);
    CHECK_EQ(Pair::wait(pair.b, receive).code, MX_STATUS_NO_RESOURCES);
    CHECK_EQ(Pair::wait(pair.a, send).code, MX_STATUS_ABORTED);
    for (const size_t n : {0, 128, 32768})
        exchange(pair, pattern(n, 3), n);
    pair.fabric.lockable = 2 * LARGE;
    exchange(pair, big, 2);
}

TEST_CASE("a grant that is asked for later and cannot be had ends that message alone") {
    Pair pair;
    // Half of the grants go out unasked; the message after them waits to be asked.
    std::vector<Bytes> small(myri::grants_unasked, pattern(40000, 5));
    std::vector<mx_request_t> sends;
    for (unsigned i = 0; i < myri::grants_unasked; ++i)
        sends.push_back(pair.send(small[i], i));
    const Bytes big = pattern(LARGE, 1);
    mx_request_t late = pair.send(big, 77);
    pair.fabric.lockable = myri::grants_unasked * 40000 + 40000;
    for (unsigned i = 0; i < myri::grants_unasked; ++i) {
        Bytes got(40000);
        mx_request_t r = pair.receive(got.data(), got.size(), i);
        CHECK_EQ(Pair::wait(pair.b, r).code, MX_STATUS_SUCCESS);
        CHECK_EQ(Pair::wait(pair.a, sends[i]).code, MX_STATUS_SUCCESS);
    }
    pair.fabric.lockable = 100000;
    Bytes got(LARGE);
    mx_request_t r = pair.receive(got.data(), LARGE, 77);
    CHECK_EQ(Pair::wait(pair.a, late).code, MX_STATUS_NO_RESOURCES);
    CHECK_EQ(Pair::wait(pair.b, r).code, MX_STATUS_ABORTED);
    exchange(pair, pattern(1000, 2), 78);
}

TEST_CASE("windows are as long as a limit of locked memory allows, and a long message goes through short ones") {
    CHECK_EQ(myri::window_bytes_under(~UINT64_C(0)), FW_WINDOW_MAX);
    CHECK_EQ(myri::window_bytes_under(32 << 20), FW_WINDOW_MAX);
    CHECK_EQ(myri::window_bytes_under((32 << 20) - 1), FW_WINDOW_MAX - WIRE_BLOCK_SIZE);
    CHECK_EQ(myri::window_bytes_under(8 << 20), 2u << 20);
    CHECK_EQ(myri::window_bytes_under(65536), 256u << 10);
    CHECK_EQ(myri::window_bytes_under(0), 256u << 10);

    Pair pair;
    reinterpret_cast<myri::Endpoint*>(pair.a)->window_bytes = 256 << 10;
    pair.fabric.lockable = 4 * (256 << 10); // two windows at each end
    const Bytes data = pattern((3 << 20) + 77777, 4);
    exchange(pair, data, 1);
    exchange(pair, data, 2);
}
