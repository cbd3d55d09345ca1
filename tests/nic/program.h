// SPDX-License-Identifier: BSD-3-Clause
//
// The few LANai instructions that these tests' firmware is made of, as machine words.
#pragma once

#include <cstdint>
#include <vector>

namespace nic_test {

using Program = std::vector<uint32_t>;

constexpr uint32_t nop() {
    return 0x00000001;
}
// rd = a 21-bit constant.
constexpr uint32_t mov(unsigned rd, uint32_t c) {
    return 0xf0020000 | rd << 23 | (c >> 16 & 0x1f) << 18 | (c & 0xffff);
}
// rd = c << 16.
constexpr uint32_t mov_high(unsigned rd, uint32_t c) {
    return 0x00010000 | rd << 23 | c;
}
// Word access to SRAM below 2 MiB.
constexpr uint32_t ld(unsigned rd, uint32_t a) {
    return 0xf0000000 | rd << 23 | (a >> 16 & 0x1f) << 18 | (a & 0xffff);
}
constexpr uint32_t st(unsigned rd, uint32_t a) {
    return ld(rd, a) | 0x00010000;
}
// Word access to the special register at `offset`.
constexpr uint32_t ld_special(unsigned rd, uint32_t offset) {
    return 0x80020000 | rd << 23 | (0xfc00 + offset);
}
constexpr uint32_t st_special(unsigned rd, uint32_t offset) {
    return 0x90020000 | rd << 23 | (0xfc00 + offset);
}
// rd = rs + c, c below 65536.
constexpr uint32_t add(unsigned rd, unsigned rs, uint32_t c) {
    return rd << 23 | rs << 18 | c;
}
// Flags of rs & rm.
constexpr uint32_t test(unsigned rs, unsigned rm) {
    return 0xc0020400 | rs << 18 | rm << 11;
}
// Flags of rs - c.
constexpr uint32_t cmp(unsigned rs, uint32_t c) {
    return 0x20020000 | rs << 18 | c;
}
// Jumps; one delay slot follows.
constexpr uint32_t bt(uint32_t a) {
    return 0xe0000000 | a;
}
constexpr uint32_t bne(uint32_t a) {
    return 0xe6000000 | a;
}
constexpr uint32_t beq(uint32_t a) {
    return 0xe6000001 | a;
}

// Checked against words that llvm-mc made.
static_assert(mov(6, 0x12345) == 0xf3062345);
static_assert(ld(7, 0x12344) == 0xf3842344 && st(7, 0x12344) == 0xf3852344);
static_assert(ld_special(7, 0x10) == 0x8382fc10 && st_special(7, 0x10) == 0x9382fc10);
static_assert(add(7, 6, 0x1234) == 0x03981234);
static_assert(beq(0x1234) == 0xe6001235);

} // namespace nic_test
