// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C against the vectors of RFC 3720 B.4, and both ways against each other.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "libmyri/crc32c.h"

using namespace myri;

TEST_CASE("the vectors of RFC 3720") {
    std::vector<uint8_t> zeros(32, 0), ones(32, 0xff), up(32), down(32);
    for (unsigned i = 0; i < 32; ++i) {
        up[i] = static_cast<uint8_t>(i);
        down[i] = static_cast<uint8_t>(31 - i);
    }
    const uint8_t read10[48] = {0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,
                                0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                                0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0};
    for (auto* f : {&crc32c, &crc32c_portable}) {
        CHECK_EQ(f(0, zeros.data(), 32), 0x8a9136aau);
        CHECK_EQ(f(0, ones.data(), 32), 0x62a8ab43u);
        CHECK_EQ(f(0, up.data(), 32), 0x46dd794eu);
        CHECK_EQ(f(0, down.data(), 32), 0x113fdb5cu);
        CHECK_EQ(f(0, read10, 48), 0xd9963a56u);
        CHECK_EQ(f(0, "123456789", 9), 0xe3069283u);
        CHECK_EQ(f(0, nullptr, 0), 0u);
    }
}

TEST_CASE("both ways, chained anywhere and copying, give the same") {
    std::mt19937 random(1);
    std::vector<uint8_t> data(5000), copy(5008);
    for (uint8_t& b : data)
        b = static_cast<uint8_t>(random());
    for (int round = 0; round < 300; ++round) {
        const size_t at = random() % 64, n = random() % (data.size() - at), cut = n ? random() % n : 0;
        const uint32_t whole = crc32c_portable(0, data.data() + at, n);
        CHECK_EQ(crc32c(crc32c(0, data.data() + at, cut), data.data() + at + cut, n - cut), whole);
        std::fill(copy.begin(), copy.end(), 0xaa);
        CHECK_EQ(crc32c_copy(0, copy.data() + round % 8, data.data() + at, n), whole);
        CHECK(std::equal(copy.begin() + round % 8, copy.begin() + static_cast<long>(round % 8 + n),
                         data.begin() + static_cast<long>(at)));
        CHECK_EQ(copy[static_cast<size_t>(round % 8) + n], 0xaa);
    }
}

TEST_CASE("one flipped bit anywhere is seen") {
    std::vector<uint8_t> data(100, 0x5a);
    const uint32_t good = crc32c(0, data.data(), data.size());
    for (size_t bit = 0; bit < 800; ++bit) {
        data[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        CHECK(crc32c(0, data.data(), data.size()) != good);
        data[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
}
