// SPDX-License-Identifier: BSD-3-Clause
//
// The peer table: who stands where, and that an index stays with its card.
#include <algorithm>
#include <cerrno>
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

using Bytes = std::vector<uint8_t>;
using Indices = std::vector<uint16_t>;

constexpr uint32_t TABLE = 0x40000; // the fake firmware's
constexpr uint16_t NONE = 0xffff;

board_peer peer(uint64_t mac, Bytes route) {
    board_peer p{};
    p.mac = mac;
    p.route_length = static_cast<uint32_t>(route.size());
    std::copy_n(route.begin(), std::min<size_t>(route.size(), FW_ROUTE_MAX), p.route);
    return p;
}

const board_peer GAP{};

// Peers with these MAC addresses, each with a route that its address tells; 0: a gap.
std::vector<board_peer> peers_of(const std::vector<uint64_t>& macs) {
    std::vector<board_peer> peers;
    for (uint64_t mac : macs)
        peers.push_back(mac ? peer(mac, {static_cast<uint8_t>(0x80 | (mac & 0x3f))}) : GAP);
    return peers;
}

int set(FakeCard& card, const std::vector<board_peer>& peers, Indices* index = nullptr) {
    Indices there(peers.size() + 1, 0x7777);
    const int status = board_peers_set(&card.board, peers.data(), static_cast<uint32_t>(peers.size()), there.data());
    CHECK(there.back() == 0x7777);
    there.pop_back();
    if (index)
        *index = there;
    return status;
}

Indices placed(FakeCard& card, const std::vector<uint64_t>& macs) {
    Indices index;
    REQUIRE(set(card, peers_of(macs), &index) == 0);
    return index;
}

Bytes bytes_at(const FakeCard& card, uint32_t offset, uint32_t length) {
    return {card.sram.begin() + offset, card.sram.begin() + offset + length};
}

uint32_t card_at(const FakeCard& card, uint32_t index) { return card.word(TABLE + index * 16); }
uint32_t route_length_at(const FakeCard& card, uint32_t index) { return card.sram[TABLE + index * 16 + 4]; }
uint32_t order_at(const FakeCard& card, uint32_t n) { return card.word(TABLE + n * 16 + 12) & 0xffff; }

// What the firmware's search by card relies on: each index once, cards rising.
void check_order(const FakeCard& card) {
    std::vector<bool> seen(FW_PEERS);
    uint32_t last = 0;
    for (uint32_t n = 0; n < card.board.peer_count; n++) {
        const uint32_t index = order_at(card, n);
        REQUIRE(index < card.board.peer_count);
        CHECK_FALSE(seen[index]);
        seen[index] = true;
        CHECK(card_at(card, index) >= last);
        last = card_at(card, index);
    }
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("first peers stand in the order of the list, with an index sorted by card beside them") {
    FakeCard card;
    boot_good(card);
    Indices index;
    REQUIRE(set(card,
                {peer(0x0060ddffffff, {0x81}), peer(0x0060dd000002, {0xbf, 0x80}),
                 peer(0x0060dd800000, {0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87})},
                &index) == 0);
    CHECK(index == Indices{0, 1, 2});
    CHECK(card.board.peer_count == 3);
    CHECK(bytes_at(card, TABLE, 48) == Bytes{0xdd, 0xff, 0xff, 0xff, 1,    0,    0x81, 0,
                                             0,    0,    0,    0,    0,    0,    0,    1, // lowest: peer 1
                                             0xdd, 0,    0,    2,    2,    0,    0xbf, 0x80,
                                             0,    0,    0,    0,    0,    0,    0,    2, // then peer 2
                                             0xdd, 0x80, 0,    0,    8,    0,    0x80, 0x81,
                                             0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0,    0}); // then peer 0
    CHECK(bytes_at(card, TABLE + 48, 509 * 16) == Bytes(509 * 16, 0));
}

TEST_CASE("a full peer table in any order is sorted") {
    FakeCard card;
    boot_good(card);
    std::vector<uint64_t> macs;
    for (uint32_t n = 1; n <= FW_PEERS; n++)
        macs.push_back(n * 2654435761u); // odd multiplier: all different
    placed(card, macs);
    CHECK(card.board.peer_count == FW_PEERS);
    check_order(card);
    for (uint32_t n = 0; n < FW_PEERS; n++)
        CHECK(card_at(card, n) == macs[n]);
}

TEST_CASE("a card keeps its index in any later list, and what a removed one leaves stays empty") {
    FakeCard card;
    boot_good(card);
    CHECK(placed(card, {10, 20, 30, 40}) == Indices{0, 1, 2, 3});
    CHECK(placed(card, {40, 30, 10}) == Indices{3, 2, 0}); // 20 is gone
    CHECK(card.board.peer_count == 4);
    CHECK(route_length_at(card, 1) == 0);
    CHECK(card_at(card, 1) == 20); // nobody else's
    check_order(card);
    CHECK(placed(card, {50, 60, 30}) == Indices{4, 5, 2}); // places 0 and 1 of the list had other cards
    CHECK(route_length_at(card, 0) == 0);
    CHECK(route_length_at(card, 3) == 0);
    CHECK(route_length_at(card, 5) == 1);
    check_order(card);
    CHECK(placed(card, {20, 60}) == Indices{1, 5}); // it is back
    CHECK(route_length_at(card, 1) == 1);
    CHECK(placed(card, {}).empty());
    CHECK(card.board.peer_count == 6);
    for (uint32_t n = 0; n < 6; n++)
        CHECK(route_length_at(card, n) == 0);
}

TEST_CASE("a known peer's new route stands at its index") {
    FakeCard card;
    boot_good(card);
    REQUIRE(set(card, {peer(10, {0x81}), peer(20, {0x82})}) == 0);
    REQUIRE(set(card, {peer(20, {0x83, 0x84})}) == 0);
    CHECK(bytes_at(card, TABLE + 16 + 4, 4) == Bytes{2, 0, 0x83, 0x84});
}

TEST_CASE("after a restart the list of the table, gaps and all, gives the same table") {
    FakeCard card;
    boot_good(card);
    placed(card, {10, 20, 30, 40});
    placed(card, {40, 20, 50});
    boot_good(card); // another card than before stands nowhere yet
    CHECK(card.board.peer_count == 0);
    CHECK(placed(card, {0, 20, 0, 40, 50}) == Indices{NONE, 1, NONE, 3, 4});
    CHECK(card.board.peer_count == 5);
    CHECK(card_at(card, 0) == 0);
    CHECK(route_length_at(card, 0) == 0);
    check_order(card);
    CHECK(placed(card, {20, 60, 40, 50, 70}) == Indices{1, 0, 3, 4, 2}); // gaps that nobody ever had are free
    check_order(card);
}

TEST_CASE("when every index has had a card, a new one is refused and nothing changes") {
    FakeCard card;
    boot_good(card);
    std::vector<uint64_t> macs(FW_PEERS);
    for (uint32_t n = 0; n < FW_PEERS; n++)
        macs[n] = n + 1;
    placed(card, macs);
    placed(card, {5}); // 511 are gone, and their indices with them
    const Bytes before = card.sram;
    CHECK(set(card, peers_of({5, 1000})) == -ENOSPC);
    CHECK(contains(card.said(), "peer 1"));
    CHECK(contains(card.said(), "512"));
    CHECK(card.sram == before);
    CHECK(card.board.peer_count == FW_PEERS);
    CHECK(placed(card, {7, 5}) == Indices{6, 4});
}

TEST_CASE("a peer table with anything wrong is refused whole, naming what is wrong") {
    FakeCard card;
    boot_good(card);
    const Bytes before = card.sram;
    auto refused = [&](std::vector<board_peer> peers, std::vector<const char*> why) {
        CHECK(set(card, peers) == -EINVAL);
        for (const char* part : why)
            CHECK(contains(card.said(), part));
    };
    const board_peer good = peer(1, {0x80});
    refused(std::vector<board_peer>(513, good), {"513 peers", "512"});
    refused({good, peer(2, {})}, {"peer 1", "route of 0 bytes"});
    refused({good, peer(2, Bytes(9, 0x80))}, {"peer 1", "route of 9 bytes"});
    refused({good, peer(2, {0x80, 0x7f})}, {"peer 1", "route byte 1", "0x7f"});
    refused({good, peer(1ull << 48, {0x80})}, {"peer 1", "48 bits"});
    refused({good, peer(0x0060ull << 32, {0x80})}, {"peer 1", "low 32 bits"});
    refused({good, peer(2, {0x80}), peer(1, {0x81})}, {"peers 0 and 2", "0x000000000001"});
    refused({peer(0x0060dd000001, {0x80}), GAP, peer(5, {0x80}), peer(0x1260dd000001, {0x80})},
            {"0x0060dd000001", "0x1260dd000001", "low 32 bits"});
    CHECK(card.sram == before);
    CHECK(card.board.peer_count == 0);
}
