// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "emulator/driver/store_order.h"

using namespace myri::emulator;

namespace {

std::vector<uint8_t> counted(size_t n) {
    std::vector<uint8_t> bytes(n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = static_cast<uint8_t>(i);
    return bytes;
}

} // namespace

TEST_CASE("stores leave in bursts of one 64-byte line, in order, without barriers") {
    StoreOrder order(std::nullopt);
    const auto bursts = order.bursts({{5, 1, 40, counted(100)}, {6, 1, 0, {}}, {7, 1, 248, counted(8)}});
    // 40..63, 64..127, 128..139 and the last one.
    REQUIRE_EQ(bursts.size(), 4u);
    CHECK_EQ(bursts[0].offset, 40u);
    CHECK_EQ(bursts[0].bytes.size(), 24u);
    CHECK_EQ(bursts[1].offset, 64u);
    CHECK_EQ(bursts[1].bytes.size(), 64u);
    CHECK_EQ(bursts[1].bytes[0], 24);
    CHECK_EQ(bursts[2].offset, 128u);
    CHECK_EQ(bursts[2].bytes.size(), 12u);
    CHECK_EQ(bursts[3].when, 7u);
}

TEST_CASE("the fault mode keeps units between their barriers and loses none") {
    std::set<std::vector<uint32_t>> seen;
    StoreOrder order(uint64_t{9});
    for (int round = 0; round < 50; round++) {
        const auto units = order.bursts({{5, 1, 0, counted(32)}, {6, 1, 0, {}}, {7, 1, 248, counted(8)}});
        REQUIRE_EQ(units.size(), 5u);
        std::vector<uint32_t> offsets;
        for (size_t n = 0; n < 4; n++) {
            CHECK_EQ(units[n].bytes.size(), 8u);
            CHECK_EQ(units[n].bytes[0], units[n].offset);
            CHECK_EQ(units[n].when, 5u);
            offsets.push_back(units[n].offset);
        }
        CHECK_EQ(units[4].offset, 248u);
        seen.insert(offsets);
        std::ranges::sort(offsets);
        CHECK_EQ(offsets, std::vector<uint32_t>{0, 8, 16, 24});
    }
    CHECK(seen.size() > 10); // of 24 orders
}

TEST_CASE("a unit is never earlier than it was stored") {
    StoreOrder order(uint64_t{1});
    for (const Store& unit : order.bursts({{5, 1, 0, counted(8)}, {9, 1, 8, counted(8)}}))
        CHECK_EQ(unit.when, 9u);
}
