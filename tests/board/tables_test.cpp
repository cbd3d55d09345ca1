// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoint and window tables: the right bytes at the right places, everything else refused.
#include <algorithm>
#include <cerrno>
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

using Bytes = std::vector<uint8_t>;

Bytes bytes_at(const FakeCard& card, uint32_t offset, uint32_t length) {
    return {card.sram.begin() + offset, card.sram.begin() + offset + length};
}

board_rings good_rings() {
    board_rings r{};
    r.event_ring = 0x1'2345'6000;
    r.receive_ring = 0x2'0000'1000;
    r.send_ring = 0xfedc'ba98'7654'3000;
    r.event_entries = 1024;
    r.receive_size = 1u << 20;
    r.send_size = 16u << 10;
    r.session = 0xdeadbeef;
    return r;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("an endpoint's entry has each value big-endian at its place, and the state is stored last") {
    FakeCard card;
    boot_good(card);
    const board_rings rings = good_rings();
    card.set_word(0x20000 + 5 * 64 + 44, 3); // wake count: the firmware's
    REQUIRE(board_endpoint_set(&card.board, 5, &rings) == 0);
    const Bytes expected{0, 0, 0, 1, 0xde, 0xad, 0xbe, 0xef, 0,    0,    0,    1,    0x23, 0x45, 0x60, 0,
                         0, 0, 0, 2, 0,    0,    0x10, 0,    0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x30, 0,
                         0, 0, 4, 0, 0,    0x10, 0,    0,    0,    0,    0x40, 0,    0,    0,    0,    3,
                         0, 0, 0, 0, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};
    CHECK(bytes_at(card, 0x20000 + 5 * 64, 64) == expected);
    CHECK(bytes_at(card, 0x20000 + 4 * 64, 64) == Bytes(64, 0));
    CHECK(bytes_at(card, 0x20000 + 6 * 64, 64) == Bytes(64, 0));
    CHECK(card.trace.back() == "write 20140..20144");
    CHECK(board_endpoint_wake_count(&card.board, 5) == 3);
}

TEST_CASE("a new owner finds nothing of the last one's slots, grants and windows; neighbours keep theirs") {
    FakeCard card;
    boot_good(card);
    const uint32_t window = FW_SRAM_ENDPOINT_WINDOWS + 2 * 0x4000, windows = 0x30000 + 2 * 64 * 16;
    std::fill_n(card.sram.begin() + window - 4, 0x4000 + 8, uint8_t{0xaa});
    std::fill_n(card.sram.begin() + windows - 4, 64 * 16 + 8, uint8_t{0xbb});
    const board_rings rings = good_rings();
    REQUIRE(board_endpoint_set(&card.board, 2, &rings) == 0);
    Bytes expected(0x4000, 0);
    std::fill_n(expected.begin() + 0x2008, 4, uint8_t{0xff}); // wake_after_us: never, until its owner asks
    CHECK(bytes_at(card, window, 0x4000) == expected);
    CHECK(bytes_at(card, windows, 64 * 16) == Bytes(64 * 16, 0));
    CHECK(card.word(window - 4) == 0xaaaaaaaa);
    CHECK(card.word(window + 0x4000) == 0xaaaaaaaa);
    CHECK(card.word(windows - 4) == 0xbbbbbbbb);
    CHECK(card.word(windows + 64 * 16) == 0xbbbbbbbb);
}

TEST_CASE("clearing an endpoint only changes its state") {
    FakeCard card;
    boot_good(card);
    const board_rings rings = good_rings();
    REQUIRE(board_endpoint_set(&card.board, 31, &rings) == 0);
    Bytes expected = bytes_at(card, 0x20000 + 31 * 64, 64);
    expected[3] = 0;
    CHECK(board_endpoint_clear(&card.board, 31) == 0);
    CHECK(bytes_at(card, 0x20000 + 31 * 64, 64) == expected);
}

TEST_CASE("an endpoint on hold has its state alone, and is cleared like an open one") {
    FakeCard card;
    boot_good(card);
    const Bytes before = card.sram;
    REQUIRE(board_endpoint_hold(&card.board, 7) == 0);
    CHECK(bytes_at(card, 0x20000 + 7 * 64, 4) == Bytes{0, 0, 0, 2});
    REQUIRE(board_endpoint_clear(&card.board, 7) == 0);
    CHECK(card.sram == before);
    CHECK(board_endpoint_hold(&card.board, 32) == -EINVAL);
    CHECK(contains(card.said(), "endpoint 32"));
    CHECK(card.sram == before);
}

TEST_CASE("endpoints and rings out of range are refused and nothing is written") {
    FakeCard card;
    boot_good(card);
    const board_rings good = good_rings();
    const Bytes before = card.sram;
    CHECK(board_endpoint_set(&card.board, 32, &good) == -EINVAL);
    CHECK(contains(card.said(), "endpoint 32"));
    CHECK(board_endpoint_clear(&card.board, 32) == -EINVAL);
    CHECK(board_endpoint_wake_count(&card.board, 0xffffffff) == 0);
    auto refused = [&](auto change, const char* why) {
        board_rings rings = good_rings();
        change(rings);
        CHECK(board_endpoint_set(&card.board, 0, &rings) == -EINVAL);
        CHECK(contains(card.said(), why));
    };
    refused([](board_rings& r) { r.event_entries = 32; }, "event ring entries 32");
    refused([](board_rings& r) { r.event_entries = 96; }, "event ring entries 96");
    refused([](board_rings& r) { r.event_entries = 32768; }, "event ring entries 32768");
    refused([](board_rings& r) { r.receive_size = 0; }, "receive ring bytes 0");
    refused([](board_rings& r) { r.receive_size = 32u << 20; }, "receive ring bytes");
    refused([](board_rings& r) { r.send_size = 8u << 10; }, "send ring bytes 8192");
    refused([](board_rings& r) { r.send_size = (16u << 10) + 1; }, "send ring bytes");
    refused([](board_rings& r) { r.event_ring += 64; }, "event ring of 65536 bytes at bus address");
    refused([](board_rings& r) { r.receive_ring += 2048; }, "receive ring of 1048576 bytes at bus address");
    refused([](board_rings& r) { r.send_ring += 1; }, "send ring of 16384 bytes at bus address");
    refused([](board_rings& r) { r.receive_ring = 0x1'fff0'1000; }, "cross 4 GiB");
    CHECK(card.sram == before);
    board_rings last = good;
    last.receive_ring = 0x1'fff0'0000; // ends exactly there
    CHECK(board_endpoint_set(&card.board, 0, &last) == 0);
}

TEST_CASE("a window's entry is complete before it has a length, and cleared by its length") {
    FakeCard card;
    boot_good(card);
    REQUIRE(board_window_set(&card.board, 3, 63, 0x8001, 0x1'0002'0010, 8u << 20, true) == 0);
    const uint32_t at = 0x30000 + (3 * 64 + 63) * 16;
    CHECK(bytes_at(card, at, 16) == Bytes{0, 0, 0, 1, 0, 2, 0, 0x10, 0, 0x80, 0, 0, 0x80, 1, 0, 1});
    CHECK(card.trace.back() == "write 30ff8..30ffc");
    CHECK(board_window_clear(&card.board, 3, 63) == 0);
    CHECK(bytes_at(card, at, 16) == Bytes{0, 0, 0, 1, 0, 2, 0, 0x10, 0, 0, 0, 0, 0x80, 1, 0, 1});
    CHECK(card.word(at - 8) == 0);
    CHECK(card.word(at + 16) == 0);
}

TEST_CASE("windows out of range are refused and nothing is written") {
    FakeCard card;
    boot_good(card);
    const Bytes before = card.sram;
    CHECK(board_window_set(&card.board, 32, 0, 1, 0, 1, true) == -EINVAL);
    CHECK(board_window_set(&card.board, 0, 64, 1, 0, 1, true) == -EINVAL);
    CHECK(contains(card.said(), "window 64"));
    CHECK(board_window_set(&card.board, 0, 0, 0, 0, 1, true) == -EINVAL);
    CHECK(board_window_set(&card.board, 0, 0, 65536, 0, 1, true) == -EINVAL);
    CHECK(board_window_set(&card.board, 0, 0, 1, 0, 0, true) == -EINVAL);
    CHECK(board_window_set(&card.board, 0, 0, 1, 0, (8u << 20) + 1, true) == -EINVAL);
    CHECK(board_window_set(&card.board, 0, 0, 1, 8, 1, true) == -EINVAL);
    CHECK(board_window_clear(&card.board, 0, 64) == -EINVAL);
    CHECK(board_window_clear(&card.board, 32, 0) == -EINVAL);
    CHECK(card.sram == before);
}
