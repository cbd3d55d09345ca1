// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tools/failure.h"
#include "tools/page_buffer.h"
#include "tools/verifier.h"

using namespace myri::tools;
using Bytes = std::vector<uint8_t>;

namespace {

Bytes pattern(size_t length, PatternKey key) {
    Bytes bytes(length);
    fill_pattern(bytes, key);
    return bytes;
}

} // namespace

TEST_CASE("what was filled is found right, at every length") {
    for (size_t length = 0; length < 40; length++)
        CHECK(!find_mismatch(pattern(length, {1, length}), {1, length}));
}

TEST_CASE("each damaged byte is found where it is, whatever bit is damaged") {
    Bytes good = pattern(1031, {7, 3});
    for (size_t offset = 0; offset < good.size(); offset++) {
        Bytes bad = good;
        bad[offset] = static_cast<uint8_t>(bad[offset] ^ (1u << offset % 8));
        auto wrong = find_mismatch(bad, {7, 3});
        REQUIRE(wrong);
        CHECK_EQ(wrong->offset, offset);
        CHECK_EQ(wrong->expected, good[offset]);
        CHECK_EQ(wrong->got, bad[offset]);
    }
}

TEST_CASE("another message's, another seed's, shifted and repeated data is found") {
    Bytes good = pattern(256, {7, 3});
    CHECK(find_mismatch(pattern(256, {7, 4}), {7, 3}));
    CHECK(find_mismatch(pattern(256, {8, 3}), {7, 3}));
    Bytes shifted = good;
    std::rotate(shifted.begin(), shifted.begin() + 8, shifted.end());
    CHECK(find_mismatch(shifted, {7, 3}));
    Bytes repeated = good;
    std::copy_n(good.begin(), 128, repeated.begin() + 128);
    CHECK_EQ(find_mismatch(repeated, {7, 3})->offset / 8, 16u);
}

TEST_CASE("one byte tells consecutive messages apart nearly always") {
    int same = 0;
    for (uint64_t message = 0; message < 1000; message++)
        same += pattern(1, {7, message}) == pattern(1, {7, message + 1});
    CHECK(same < 20); // 4 expected of 1000
}

TEST_CASE("the verifier passes good data, and with damage fails once with offset and bytes") {
    Bytes bytes = pattern(100, {7, 3});
    uint8_t good = bytes[50];
    Verifier verifier({});
    CHECK_NOTHROW(verifier.check(bytes, {7, 3}));
    Verifier damaging({.damage_one_byte = true});
    CHECK_NOTHROW(damaging.check({}, {7, 2})); // no byte to damage yet
    std::string expected = fmt::format("message 3 of 100 bytes differs at offset 50: expected 0x{:02x}, got 0x{:02x}",
                                       good, good ^ 0x10);
    CHECK_THROWS_WITH_AS(damaging.check(bytes, {7, 3}), doctest::Contains(expected.c_str()), Failure);
    bytes[50] = good;
    CHECK_NOTHROW(damaging.check(bytes, {7, 3}));
}

TEST_CASE("page buffers start on a page and are cleared") {
    for (uint32_t length : {1u, 4096u, 100000u}) {
        PageBuffer buffer(length);
        CHECK_EQ(reinterpret_cast<uintptr_t>(buffer.bytes().data()) % 4096, 0u);
        REQUIRE_EQ(buffer.bytes().size(), length);
        CHECK(std::all_of(buffer.bytes().begin(), buffer.bytes().end(), [](uint8_t b) { return b == 0; }));
    }
    CHECK(PageBuffer(0).bytes().empty());
}
