// SPDX-License-Identifier: BSD-3-Clause
// Cycle counts of short sequences, worked out by hand: one a instruction plus the named terms.
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

using namespace myri::test;

namespace {

uint64_t cycles_of(const std::vector<uint32_t>& program, CpuTiming timing = {}) {
    Machine m(timing);
    m.write(0, program);
    for (unsigned n : {r6, r10})
        m.cpu.set_reg(n, 0x100);
    m.step(static_cast<unsigned>(program.size()));
    CHECK(m.cpu.instructions() == program.size());
    return m.cpu.cycle();
}

} // namespace

TEST_CASE("a load costs a stall exactly if the next instruction uses its register") {
    const uint32_t load = ld(r7, r6, 0);
    CHECK(cycles_of({load, nop}) == 2);
    CHECK(cycles_of({load, ri(op_add, r8, r7, 1)}) == 3);
    CHECK(cycles_of({load, nop, ri(op_add, r8, r7, 1)}) == 3);
    CHECK(cycles_of({load, rr(op_add, r8, r6, r7)}) == 3);
    CHECK(cycles_of({load, rr(op_add, r8, r6, r7, false, F)}) == 3); // the predicate is known too late
    CHECK(cycles_of({load, select(T, r8, r6, r7)}) == 3);
    CHECK(cycles_of({load, st(r7, r6, 4)}) == 3);
    CHECK(cycles_of({load, spls(true, byte, r7, r6, offset, 4)}) == 4);
    CHECK(cycles_of({load, ri(op_add, r7, r6, 1)}) == 2); // only writes it
    CHECK(cycles_of({load, ld(r7, r6, 4)}) == 2);
    CHECK(cycles_of({load, set_condition(T, r7)}) == 2);
    CHECK(cycles_of({load, sli(r7, 9)}) == 2);
    CHECK(cycles_of({ld(r10, r6, 0), rrm(false, word, r8, r6, r10, at_rs1)}) == 3);
    CHECK(cycles_of({sls(false, r7, 0x100), count_bits(1, r8, r7)}) == 3);
    CHECK(cycles_of({rm(false, r7, r6, post, 4), ri(op_add, r8, r6, 1)}) == 2); // the base is not loaded
    CHECK(cycles_of({ld(r0, r6, 0), rr(op_add, r8, r0, r0)}) == 2);
    CHECK(cycles_of({load, ri(op_add, r8, r7, 1)}, {.load_use_stall = 2}) == 4);
    CHECK(cycles_of({load, ri(op_add, r8, r7, 1)}, {.load_use_stall = 0}) == 2);
}

TEST_CASE("the stall reaches across a taken branch") {
    // The load in the slot of a branch; the target uses its register or not.
    for (bool uses : {false, true}) {
        Machine m{branch(T, 0x40), ld(r7, r6, 0), ri(op_add, r8, r7, 1)};
        m.write(0x40, uses ? rr(op_add, r8, r7, r7) : nop);
        m.run({{r6, 0x100}}, 3);
        CHECK(m.cpu.instructions() == 3);
        CHECK(m.cpu.cycle() == 3u + uses);
    }
    // First of two slots: the second slot counts, not the target.
    Machine m{sli(pc, 0x40), ld(r7, r6, 0), nop};
    m.write(0x40, ri(op_add, r8, r7, 1));
    m.run({{r6, 0x100}}, 4);
    CHECK(m.cpu.cycle() == 4);
}

TEST_CASE("sub-word accesses cost one more, the shared port one for each access to SRAM") {
    CHECK(cycles_of({spls(false, byte, r7, r6, offset, 0)}) == 2);
    CHECK(cycles_of({spls(false, half_zero, r7, r6, offset, 0), rr(op_add, r8, r7, r7)}) == 4);
    CHECK(cycles_of({spls(true, half, r7, r6, offset, 0), nop}) == 3);
    CHECK(cycles_of({rrm(true, byte, r7, r6, r0, offset), nop}) == 3);
    CHECK(cycles_of({rrm(false, byte, r7, r6, r0, pre), nop}) == 3);
    CHECK(cycles_of({spls(true, byte, r7, r6, offset, 0)}, {.subword_extra = 3}) == 4);
    CpuTiming shared{.data_access_extra = 1};
    CHECK(cycles_of({ld(r7, r6, 0), st(r8, r6, 4), nop}, shared) == 5);
    CHECK(cycles_of({spls(true, byte, r7, r6, offset, 0)}, shared) == 3);
    CHECK(cycles_of({ld(r7, r0, -0x100), st(r7, r0, -0x100)}, shared) == 3); // special registers: stall only
}

TEST_CASE("branches, taken or not, cost one cycle and their slot's") {
    CHECK(cycles_of({branch(F, 0x40), nop}) == 2);
    CHECK(cycles_of({branch(T, 8), nop, nop}) == 3);
    CHECK(cycles_of({branch_relative(T, r0, 8), nop, nop}) == 3);
    CHECK(cycles_of({sli(pc, 12), nop, nop, nop}) == 4);
}

TEST_CASE("a loop has the cycle count of hand calculation") {
    // r7 += the bytes at r6.. for r8 times: uld.b post (2) + use (1 + 1 stall) + sub.f (1) + bne (1) + slot
    // (1) = 7 The load moved into the slot is used at the loop's head, whose stall stays: the same 7.
    Machine m{spls(false, byte_zero, r9, r6, post, 1), rr(op_add, r7, r7, r9),
              ri(op_sub, r8, r8, 1, set_flags), branch(NE, 0), nop};
    m.write(0x100, 0x01020304);
    m.run({{r6, 0x100}, {r8, 4}}, 20);
    CHECK(m.reg(r7) == 10);
    CHECK(m.cpu.pc() == 20);
    CHECK(m.cpu.cycle() == 28);
}

TEST_CASE("run() executes the instructions that start below its limit, and lower_limit() stops it earlier") {
    Machine m{ld(r7, r6, 0), rr(op_add, r8, r7, r7), nop, st(r6, r0, -0x10), nop, nop};
    m.cpu.set_reg(r6, 0x100);
    CHECK(m.cpu.run(0) == Stop::limit);
    CHECK(m.cpu.cycle() == 0);
    m.cpu.run(1); // the load; the stall belongs to it
    CHECK(m.cpu.cycle() == 2);
    CHECK(m.cpu.pc() == 4);
    m.cpu.run(2); // nothing starts below 2
    CHECK(m.cpu.pc() == 4);
    m.special.on_access = [&] { m.cpu.lower_limit(6); };
    CHECK(m.cpu.run(100) == Stop::limit);
    CHECK(m.special.accesses.at(0).cycle == 4);
    CHECK(m.cpu.cycle() == 6);
    CHECK(m.cpu.pc() == 20);
    m.special.on_access = [] {};
    m.cpu.set_cycle(1000);
    CHECK(m.cpu.instructions() == 5);
    m.cpu.run(1001);
    CHECK(m.cpu.instructions() == 6);
    CHECK(m.cpu.cycle() == 1001);
}

TEST_CASE("lower_limit() in a delay slot stops before the target and keeps the jump") {
    Machine m{branch(T, 0x40), st(r6, r0, -0x10)};
    m.special.on_access = [&] { m.cpu.lower_limit(0); };
    CHECK(m.cpu.run(100) == Stop::limit);
    CHECK(m.cpu.pc() == 0x40);
    CHECK(m.cpu.cycle() == 2);
}
