// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "tools/dialogue.h"
#include "tools/pingpong.h"
#include "tools/stream.h"

using namespace myri::tools;

namespace {

std::vector<uint8_t> bytes_of(const Order& order, Program program) {
    WireOrder wire = to_wire(order, program);
    std::vector<uint8_t> bytes(sizeof wire);
    std::memcpy(bytes.data(), &wire, sizeof wire);
    return bytes;
}

} // namespace

TEST_CASE("an order is in network byte order, version second") {
    Order order{.length = 0x01020304, .iterations = 5, .warmup = 6, .verify = true, .seed = 0x1122334455667788};
    std::vector<uint8_t> expected = {'M', 'Y', 'R', 'B', 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 2, 3, 4, 0, 0, 0, 5, 0, 0,
                                     0,   6,   0,   0,   0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    CHECK_EQ(bytes_of(order, Program::STREAM), expected);
}

TEST_CASE("an order arrives as it was given") {
    Order order{.length = 7, .iterations = 8, .warmup = 9, .synchronous = true, .both_ways = true, .seed = 10};
    Order got;
    CHECK_EQ(judge(bytes_of(order, Program::PINGPONG), Program::PINGPONG, got), Verdict::READY);
    CHECK_EQ(got.length, 7u);
    CHECK_EQ(got.iterations, 8u);
    CHECK_EQ(got.warmup, 9u);
    CHECK(!got.verify);
    CHECK(got.synchronous);
    CHECK(got.both_ways);
    CHECK(!got.finished);
    CHECK_EQ(got.seed, 10u);
}

TEST_CASE("other versions, programs and lengths are refused") {
    Order got;
    auto bytes = bytes_of({}, Program::PINGPONG);
    CHECK_EQ(judge(bytes, Program::STREAM, got), Verdict::OTHER_PROGRAM);
    auto longer = bytes;
    longer.push_back(0);
    CHECK_EQ(judge(longer, Program::PINGPONG, got), Verdict::OTHER_VERSION);
    CHECK_EQ(judge(std::span(bytes).first(11), Program::PINGPONG, got), Verdict::OTHER_VERSION);
    CHECK_EQ(judge({}, Program::PINGPONG, got), Verdict::OTHER_VERSION);
    bytes[7] = 2;
    CHECK_EQ(judge(bytes, Program::PINGPONG, got), Verdict::OTHER_VERSION);
}

TEST_CASE("a refusal says which versions meet") {
    WireAnswer answer{cpu_to_be32(DIALOGUE_MAGIC), cpu_to_be32(9), cpu_to_be32(1), cpu_to_be32(1)};
    CHECK(refusal(answer, Program::PINGPONG).find("speaks version 9") != std::string::npos);
    answer.version = cpu_to_be32(1);
    answer.verdict = cpu_to_be32(2);
    CHECK(refusal(answer, Program::STREAM).find("runs mx_pingpong, not mx_stream") != std::string::npos);
}

TEST_CASE("latency is half a round trip, rates are in 10^6 bytes per second") {
    RoundTrips trips{.length = 1000000, .done = 10, .elapsed = 80'000'000'000, .each = {}}; // 80 ms for 10 round trips
    CHECK_EQ(trips.latency_us(), doctest::Approx(4000));
    CHECK_EQ(trips.rate_mb_s(), doctest::Approx(250));
    trips.each = {8'000'000, 2'000'000, 4'000'000};
    CHECK_EQ(trips.quantile_us(0), doctest::Approx(1));
    CHECK_EQ(trips.quantile_us(0.5), doctest::Approx(2));
    CHECK_EQ(trips.quantile_us(1), doctest::Approx(4));
    Figures figures{.messages = 100, .bytes = 25'000'000, .elapsed = 100'000'000'000}; // 100 ms
    CHECK_EQ(figures.rate_mb_s(), doctest::Approx(250));
    CHECK_EQ(figures.messages_per_s(), doctest::Approx(1000));
}
