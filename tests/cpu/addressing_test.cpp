// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

using namespace myri::test;

TEST_CASE("PQ selects address and write-back of a word load") {
    struct {
        unsigned pq;
        uint32_t loaded, base;
    } rows[] = {{at_rs1, 0x11111111, 0x100},
                {post, 0x11111111, 0x108},
                {offset, 0x22222222, 0x100},
                {pre, 0x22222222, 0x108}};
    for (auto row : rows) {
        CAPTURE(row.pq);
        for (bool by_register : {false, true}) {
            Machine m{by_register ? rrm(false, word, r7, r6, r8, row.pq) : rm(false, r7, r6, row.pq, 8)};
            m.write(0x100, 0x11111111);
            m.write(0x108, 0x22222222);
            m.run({{r6, 0x100}, {r8, 8}}, 1);
            CHECK(m.reg(r7) == row.loaded);
            CHECK(m.reg(r6) == row.base);
        }
    }
}

TEST_CASE("PQ selects address and write-back of stores of all sizes, with constants and registers") {
    for (unsigned size : {unsigned{half}, unsigned{word}, unsigned{byte}})
        for (unsigned pq : {at_rs1, post, offset, pre})
            for (bool by_register : {false, true}) {
                CAPTURE(size);
                CAPTURE(pq);
                CAPTURE(by_register);
                Machine m{by_register    ? rrm(true, size, r7, r6, r8, pq, op_sub)
                          : size == word ? rm(true, r7, r6, pq, -8)
                                         : spls(true, size, r7, r6, pq, -8)};
                m.run({{r6, 0x208}, {r7, 0xa1b2c3d4}, {r8, 8}}, 1);
                uint32_t at = pq == offset || pq == pre ? 0x200 : 0x208;
                CHECK(m.read(at) == (size == word ? 0xa1b2c3d4 : size == half ? 0xc3d40000 : 0xd4000000));
                CHECK(m.read(at ^ 8) == 0);
                CHECK(m.reg(r6) == (pq == post || pq == pre ? 0x200 : 0x208));
            }
}

TEST_CASE("sub-word loads extend as E says and pick big-endian bytes") {
    struct {
        unsigned size;
        int32_t at;
        uint32_t value;
    } rows[] = {{byte, 0, 0xffffff81},  {byte_zero, 0, 0x81},  {byte, 1, 0x72},
                {byte_zero, 3, 0x94},   {byte, 3, 0xffffff94}, {half, 0, 0xffff8172},
                {half_zero, 0, 0x8172}, {half, 2, 0x6394},     {half_zero, 2, 0x6394}};
    for (auto row : rows) {
        CAPTURE(row.size);
        CAPTURE(row.at);
        Machine m{spls(false, row.size, r7, r6, offset, row.at), rrm(false, row.size, r9, r6, r8, offset)};
        m.write(0x300, 0x81726394);
        m.run({{r6, 0x300}, {r8, static_cast<uint32_t>(row.at)}}, 2);
        CHECK(m.reg(r7) == row.value);
        CHECK(m.reg(r9) == row.value);
    }
}

TEST_CASE("a store writes the old value of a register that it also writes back") {
    Machine m{rm(true, sp, sp, pre, -4), rm(true, r6, r6, post, 4)};
    m.run({{sp, 0x400}, {r6, 0x500}}, 2);
    CHECK(m.read(0x3fc) == 0x400);
    CHECK(m.reg(sp) == 0x3fc);
    CHECK(m.read(0x500) == 0x500);
    CHECK(m.reg(r6) == 0x504);
}

TEST_CASE("RRM addresses use addc and subb with the current carry and leave the flags alone") {
    for (bool carry : {false, true}) {
        CAPTURE(carry);
        // r9 - r10 sets C if r9 >= r10. 0x100 + 3 + C, 0x108 - 3 - 1 + C; then C is stored.
        Machine m{rr(op_sub, r0, r9, r10, set_flags), rrm(false, byte_zero, r7, r6, r8, offset, op_addc),
                  rrm(false, byte_zero, r11, r12, r8, offset, op_subb),
                  rrm(true, word, r13, r14, r0, pre, op_addc), set_condition(CS, r13)};
        m.write(0x100, 0x00010203);
        m.write(0x104, 0x04050607);
        m.run({{r6, 0x100},
               {r8, 3},
               {r12, 0x108},
               {r9, carry ? 5u : 4u},
               {r10, 5},
               {r14, carry ? 0x1ffu : 0x200u}},
              5);
        CHECK(m.reg(r7) == 3u + carry);
        CHECK(m.reg(r11) == 4u + carry);
        CHECK(m.reg(r14) == 0x200);
        CHECK(m.reg(r13) == carry);
    }
}

TEST_CASE("RRM addresses can be made by logic and by shifts") {
    Machine m{rrm(false, word, r7, r6, r8, offset, op_or), rrm(false, word, r9, r6, r8, offset, op_and),
              rrm(false, word, r10, r6, r8, offset, op_xor),
              rrm(false, word, r11, r6, r12, offset, op_shift, 0x10),
              rrm(false, word, r13, r14, r12, offset, op_shift, 0x18)};
    m.write(0x1c0, 1);
    m.write(0x040, 2);
    m.write(0x180, 3);
    m.write(0x0a0, 4);
    m.write(0x0c0, 5);
    m.run({{r6, 0x140}, {r8, 0x0c0}, {r12, 0xffffffff}, {r14, 0x180}}, 5); // r12: shift right by 1
    CHECK(m.reg(r7) == 1);
    CHECK(m.reg(r9) == 2);
    CHECK(m.reg(r10) == 3);
    CHECK(m.reg(r11) == 4);
    CHECK(m.reg(r13) == 5);
}

TEST_CASE("SLS reaches 21-bit absolute words and ignores the low two bits; SLI is zero-extended") {
    Machine m{sls(false, r6, 0x8003), sls(true, r7, 0x9001), sli(r8, 0x1fffff)};
    m.write(0x8000, 0x12345678);
    m.run({{r7, 0xcafef00d}}, 3);
    CHECK(m.reg(r6) == 0x12345678);
    CHECK(m.read(0x9000) == 0xcafef00d);
    CHECK(m.reg(r8) == 0x1fffff);
}

TEST_CASE("r0 and r1 are constants even as destination, as load result and for write-back") {
    Machine m{ri(op_add, r0, r6, 5),
              ri(op_add, r1, r6, 5),
              ld(r0, r6, 0),
              ld(r1, r6, 0),
              rm(false, r7, r0, pre, 0x100),
              rm(false, r8, r0, post, 0x100),
              set_condition(T, r0),
              sli(r1, 7),
              rrm(false, word, r9, r0, r6, pre),
              rr(op_add, r10, r0, r1)};
    m.write(0x100, 0x77);
    m.run({{r6, 0x100}}, 10);
    CHECK(m.reg(r7) == 0x77);
    CHECK(m.reg(r8) == ri(op_add, r0, r6, 5)); // the word at 0
    CHECK(m.reg(r9) == 0x77);
    CHECK(m.reg(r10) == 0xffffffff);
    CHECK(m.reg(r0) == 0);
    CHECK(m.reg(r1) == 0xffffffff);
}

TEST_CASE("special registers are accessed with offset, size, value and the instruction's start cycle") {
    Machine m{nop,
              st(r6, r0, -0x3f0),
              spls(true, half, r6, r0, offset, -0x1fe),
              spls(true, byte, r6, r0, offset, -1),
              ld(r7, r0, -8),
              spls(false, byte, r8, r0, offset, -7),
              spls(false, half_zero, r9, r0, offset, -0x200)};
    m.special.value = 0x80f1f2f3;
    m.run({{r6, 0xa1b2c3d4}}, 7);
    // Each of the four sub-word accesses takes a second cycle.
    std::vector<Access> expected = {{true, 0x010, 4, 0xa1b2c3d4, 1},  {true, 0x202, 2, 0xc3d4, 2},
                                    {true, 0x3ff, 1, 0xd4, 4},        {false, 0x3f8, 4, 0x80f1f2f3, 6},
                                    {false, 0x3f9, 1, 0x80f1f2f3, 7}, {false, 0x200, 2, 0x80f1f2f3, 9}};
    CHECK(m.special.accesses == expected);
    CHECK(m.reg(r7) == 0x80f1f2f3);
    CHECK(m.reg(r8) == 0xfffffff3);
    CHECK(m.reg(r9) == 0xf2f3);
    CHECK(m.cpu.cycle() == 11);
}
