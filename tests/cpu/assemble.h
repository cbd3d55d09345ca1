// SPDX-License-Identifier: BSD-3-Clause
// Instruction words from their fields, for tests: one function for each format of the instruction set's
// table.
#pragma once
#include <cstdint>

namespace myri::test {

enum : unsigned { r0, r1, pc, r3, sp, fp, r6, r7, r8, r9, r10, r11, r12, r13, r14, rca };
enum : unsigned { op_add, op_addc, op_sub, op_subb, op_and, op_or, op_xor, op_shift };
enum : unsigned { T, F, HI, LS, CC, CS, NE, EQ, VC, VS, PL, MI, GE, LT, GT, LE }; // DDDI
enum : unsigned { at_rs1 = 0, post = 1, offset = 2, pre = 3 };                    // PQ
enum : unsigned { half = 0, half_zero = 1, word = 2, byte = 4, byte_zero = 5 };   // YLE
constexpr bool set_flags = true, high = true;

constexpr uint32_t field(uint32_t value, unsigned low) {
    return value << low;
}

constexpr uint32_t ri(unsigned op, unsigned rd, unsigned rs1, uint32_t imm, bool f = false, bool h = false) {
    return field(op, 28) | field(rd, 23) | field(rs1, 18) | field(f, 17) | field(h, 16) | (imm & 0xffff);
}
constexpr uint32_t rr(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, bool f = false, unsigned dddi = T,
                      unsigned j = 0) {
    return field(0xc, 28) | field(rd, 23) | field(rs1, 18) | field(f, 17) | field(dddi & 1, 16) |
           field(rs2, 11) | field(op, 8) | field(j, 3) | dddi >> 1;
}
constexpr uint32_t shift_rr(unsigned rd, unsigned rs1, unsigned rs2, bool arithmetic, bool f = false,
                            unsigned dddi = T) {
    return rr(op_shift, rd, rs1, rs2, f, dddi, arithmetic ? 0x18 : 0x10);
}
constexpr uint32_t select(unsigned dddi, unsigned rd, unsigned rs1, unsigned rs2) {
    return rr(op_shift, rd, rs1, rs2, false, dddi, 0);
}
constexpr uint32_t count_bits(unsigned op, unsigned rd, unsigned rs1,
                              bool f = false) { // 1 popc, 2 leadz, 3 trailz
    return field(0xd, 28) | field(rd, 23) | field(rs1, 18) | field(f, 17) | op;
}
constexpr uint32_t rm(bool store, unsigned rd, unsigned rs1, unsigned pq, int32_t imm) {
    return field(store ? 9 : 8, 28) | field(rd, 23) | field(rs1, 18) | field(pq, 16) |
           (static_cast<uint32_t>(imm) & 0xffff);
}
constexpr uint32_t ld(unsigned rd, unsigned rs1, int32_t imm) {
    return rm(false, rd, rs1, offset, imm);
}
constexpr uint32_t st(unsigned rd, unsigned rs1, int32_t imm) {
    return rm(true, rd, rs1, offset, imm);
}
constexpr uint32_t rrm(bool store, unsigned size, unsigned rd, unsigned rs1, unsigned rs2, unsigned pq,
                       unsigned op = op_add, unsigned j = 0) {
    return field(store ? 0xb : 0xa, 28) | field(rd, 23) | field(rs1, 18) | field(pq, 16) | field(rs2, 11) |
           field(op, 8) | field(j, 3) | size;
}
constexpr uint32_t spls(bool store, unsigned size, unsigned rd, unsigned rs1, unsigned pq, int32_t imm) {
    return field(0xf, 28) | field(rd, 23) | field(rs1, 18) | field(3, 16) | field(size >> 2, 14) |
           field(store, 13) | field(size & 1, 12) | field(pq, 10) | (static_cast<uint32_t>(imm) & 0x3ff);
}
constexpr uint32_t sls(bool store, unsigned rd, uint32_t address) {
    return field(0xf, 28) | field(rd, 23) | field(address >> 16 & 31, 18) | field(store, 16) |
           (address & 0xffff);
}
constexpr uint32_t sli(unsigned rd, uint32_t value) {
    return field(0xf, 28) | field(rd, 23) | field(value >> 16 & 31, 18) | field(2, 16) | (value & 0xffff);
}
constexpr uint32_t branch(unsigned dddi, uint32_t address) {
    return field(0xe, 28) | field(dddi >> 1, 25) | (address & 0x1fffffc) | (dddi & 1);
}
constexpr uint32_t branch_relative(unsigned dddi, unsigned rs1, int32_t displacement) {
    return field(0xe, 28) | field(dddi >> 1, 25) | field(1, 24) | field(rs1, 18) |
           (static_cast<uint32_t>(displacement) & 0xfffc) | 2 | (dddi & 1);
}
constexpr uint32_t set_condition(unsigned dddi, unsigned rd) {
    return field(0xe, 28) | field(dddi >> 1, 25) | field(rd, 18) | 2 | (dddi & 1);
}
constexpr uint32_t nop = 1;

// Against words that the assembler made.
static_assert(ri(op_and, r7, r6, 0xff, false, high) == 0x439900ff);
static_assert(rr(op_subb, r8, r6, r7, set_flags) == 0xc41a3b00);
static_assert(rr(op_sub, r8, r6, r7, false, GT) == 0xc4183a07);
static_assert(shift_rr(r8, r6, r7, true) == 0xc4183fc0);
static_assert(select(NE, r8, r6, r7) == 0xc4183f03);
static_assert(count_bits(2, r7, r6) == 0xd3980002);
static_assert(rm(true, r7, sp, pre, -4) == 0x9393fffc);
static_assert(rrm(false, word, r8, r6, r7, offset, op_shift, 0x10) == 0xa41a3f82);
static_assert(spls(true, byte, r7, r6, pre, -1) == 0xf39b6fff);
static_assert(spls(false, half_zero, r7, r6, post, 2) == 0xf39b1402);
static_assert(sls(true, r7, 0x12344) == 0xf3852344);
static_assert(sli(r6, 0x12345) == 0xf3062345);
static_assert(branch(LE, 0x1234) == 0xee001235);
static_assert(branch_relative(EQ, r0, -0x10) == 0xe700fff3);
static_assert(set_condition(GT, r7) == 0xee1c0002);

} // namespace myri::test
