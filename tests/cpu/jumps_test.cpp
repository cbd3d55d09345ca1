// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

using namespace myri::test;

namespace {

// Puts `jump` at 0x100 and counts how many of the instructions behind it are executed before 0x200 is
// reached. r7, r8, r9 become 1 when the first, second, third is executed.
struct Slots {
    bool taken;
    unsigned executed;
};
Slots slots_of(uint32_t jump, std::initializer_list<std::pair<unsigned, uint32_t>> registers = {}) {
    Machine m;
    m.write(0x100, {jump, ri(op_add, r7, r0, 1), ri(op_add, r8, r0, 1), ri(op_add, r9, r0, 1), nop, nop});
    m.write(0x80, 0x200); // for loads into pc
    m.cpu.reset(0x100);
    for (auto [n, v] : registers)
        m.cpu.set_reg(n, v);
    for (int i = 0; i < 4 && m.cpu.pc() != 0x200; i++)
        m.step();
    return {m.cpu.pc() == 0x200, m.reg(r7) + m.reg(r8) + m.reg(r9)};
}
bool operator==(Slots a, Slots b) {
    return a.taken == b.taken && a.executed == b.executed;
}
constexpr Slots one{true, 1}, two{true, 2}, through{false, 3};

} // namespace

TEST_CASE("branches and ALU jumps have one delay slot, loads and SLI into pc two") {
    CHECK(slots_of(branch(T, 0x200)) == one);
    CHECK(slots_of(branch(F, 0x200)) == through);
    CHECK(slots_of(branch_relative(T, r0, 0x200)) == one);
    CHECK(slots_of(branch_relative(T, r6, -0x100), {{r6, 0x300}}) == one);
    CHECK(slots_of(branch_relative(T, pc, 0x100)) == one);
    CHECK(slots_of(branch_relative(F, pc, 0x100)) == through);
    CHECK(slots_of(rr(op_or, pc, r0, r6), {{r6, 0x200}}) == one);
    CHECK(slots_of(ri(op_add, pc, r6, 0x100), {{r6, 0x100}}) == one);
    CHECK(slots_of(ri(op_add, pc, pc, 0x100)) == one);
    CHECK(slots_of(select(T, pc, r6, r0), {{r6, 0x200}}) == one);
    CHECK(slots_of(rr(op_or, pc, r6, r0, false, EQ), {{r6, 0x200}}) ==
          through); // flags are clear after reset
    CHECK(slots_of(rr(op_or, pc, r6, r0, false, NE), {{r6, 0x200}}) == one);
    CHECK(slots_of(ld(pc, r0, 0x80)) == two);
    CHECK(slots_of(rm(false, pc, r6, post, 4), {{r6, 0x80}}) == two);
    CHECK(slots_of(rrm(false, word, pc, r6, r10, offset), {{r6, 0x40}, {r10, 0x40}}) == two);
    CHECK(slots_of(rrm(false, word, pc, r6, r10, pre, op_sub), {{r6, 0xc0}, {r10, 0x40}}) == two);
    CHECK(slots_of(sls(false, pc, 0x80)) == two);
    CHECK(slots_of(sli(pc, 0x200)) == two);
}

TEST_CASE("each branch condition is taken and not taken as the flags say") {
    // sub.f r6, r7 with operand pairs that give different flags.
    struct {
        uint32_t a, b;
        bool z, n, v, c;
    } rows[] = {{5, 5, true, false, false, true},
                {6, 5, false, false, false, true},
                {5, 6, false, true, false, false},
                {0x80000000, 1, false, false, true, true},
                {0x7fffffff, 0xffffffff, false, true, true, false},
                {0xfffffffe, 1, false, true, false, true},
                {1, 0xfffffffe, false, false, false, false}};
    for (auto row : rows) {
        bool expected[16] = {true,
                             false,
                             row.c && !row.z,
                             !(row.c && !row.z),
                             !row.c,
                             row.c,
                             !row.z,
                             row.z,
                             !row.v,
                             row.v,
                             !row.n,
                             row.n,
                             row.n == row.v,
                             row.n != row.v,
                             row.n == row.v && !row.z,
                             !(row.n == row.v && !row.z)};
        for (unsigned condition = 0; condition < 16; condition++) {
            CAPTURE(row.a);
            CAPTURE(row.b);
            CAPTURE(condition);
            Machine m{rr(op_sub, r0, r6, r7, set_flags),    set_condition(condition, r8),
                      select(condition, r9, r6, r7),        rr(op_add, r10, r0, r6, false, condition),
                      branch_relative(condition, r0, 0x40), nop};
            m.run({{r6, row.a}, {r7, row.b}, {r10, 99}}, 6);
            CHECK(m.reg(r8) == expected[condition]);
            CHECK(m.reg(r9) == (expected[condition] ? row.a : row.b));
            CHECK(m.reg(r10) == (expected[condition] ? row.a : 99));
            CHECK(m.cpu.pc() == (expected[condition] ? 0x40 : 24));
            Machine direct{rr(op_sub, r0, r6, r7, set_flags), branch(condition, 0x40), nop};
            direct.run({{r6, row.a}, {r7, row.b}}, 3);
            CHECK(direct.cpu.pc() == (expected[condition] ? 0x40 : 12));
        }
    }
}

TEST_CASE("a failed predicate leaves result and flags alone, a true one sets both") {
    Machine m{ri(op_sub, r0, r6, 1, set_flags), rr(op_sub, r7, r6, r8, set_flags, NE), set_condition(EQ, r9),
              rr(op_sub, r10, r6, r8, set_flags, EQ), set_condition(EQ, r11)};
    m.run({{r6, 1}, {r7, 55}, {r8, 3}}, 5);
    CHECK(m.reg(r7) == 55);
    CHECK(m.reg(r9) == 1);
    CHECK(m.reg(r10) == 0xfffffffe);
    CHECK(m.reg(r11) == 0);
}

TEST_CASE("pc reads as the address of the reading instruction, in slots too") {
    Machine m{ri(op_add, r6, pc, 0), rr(op_add, r7, r0, pc), branch(T, 0x40), ri(op_add, r8, pc, 0x10)};
    m.write(0x40, {st(pc, r0, 0x100), rrm(true, word, pc, r0, r9, offset), select(F, r10, r0, pc)});
    m.run({{r9, 0x104}}, 7);
    CHECK(m.reg(r6) == 0);
    CHECK(m.reg(r7) == 4);
    CHECK(m.reg(r8) == 0x1c);
    CHECK(m.read(0x100) == 0x40);
    CHECK(m.read(0x104) == 0x44);
    CHECK(m.reg(r10) == 0x48);
}

TEST_CASE("the compiler's call and return sequences nest") {
    Machine m{
        ri(op_add, rca, pc, 0x10),  // 00
        rm(true, rca, sp, pre, -4), // 04
        branch(T, 0x40),            // 08
        ri(op_add, r6, r0, 5),      // 0c slot: argument
        rr(op_add, r7, r8, r0),     // 10 result
        nop,
    };
    m.write(0x40, {rm(true, fp, sp, pre, -4), ri(op_add, fp, sp, 8), ri(op_add, r8, r6, 37), ld(pc, fp, -4),
                   ri(op_add, sp, fp, 0), ld(fp, fp, -8)});
    m.run({{sp, 0x1000}, {fp, 0x2222}}, 11);
    CHECK(m.reg(r7) == 42);
    CHECK(m.reg(sp) == 0x1000);
    CHECK(m.reg(fp) == 0x2222);
    CHECK(m.cpu.pc() == 0x14);
}

TEST_CASE("a run that ends in a delay slot continues with the jump") {
    for (unsigned slice : {1u, 2u, 3u, 7u}) {
        Machine m{ld(pc, r0, 0x80), ri(op_add, r6, r6, 1), ri(op_add, r6, r6, 16), ri(op_add, r6, r6, 0x100)};
        m.write(0x80, 0x200);
        m.write(0x200, {branch(T, 0), ri(op_add, r7, r7, 1)});
        for (uint64_t limit = slice; m.cpu.cycle() < 50; limit += slice)
            CHECK(m.cpu.run(limit < 50 ? limit : 50) == Stop::limit);
        CHECK(m.cpu.instructions() == 50);
        CHECK(m.reg(r6) == 10 * 17);
        CHECK(m.reg(r7) == 10);
    }
}
