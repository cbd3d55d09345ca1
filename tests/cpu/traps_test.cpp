// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace myri::test;

namespace {

// Runs `words` at 0 with r6 set; the trap must come at `at`, and say `text`.
void expect_trap(const std::vector<uint32_t>& words, uint32_t r6_value, uint32_t at,
                 const std::string& text) {
    Machine m;
    m.write(0, words);
    m.cpu.set_reg(r6, r6_value);
    m.cpu.set_reg(r7, 0x77);
    CHECK(m.cpu.run(1000) == Stop::trap);
    CHECK(m.cpu.pc() == at);
    CAPTURE(m.cpu.trap_reason());
    CHECK(m.cpu.trap_reason().find(text) != std::string::npos);
    CHECK(m.special.accesses.empty());
    CHECK(m.reg(r6) == r6_value); // no write-back
    CHECK(m.reg(r7) == 0x77);
    std::string reason = m.cpu.trap_reason();
    uint64_t cycle = m.cpu.cycle();
    CHECK(m.cpu.run(2000) == Stop::trap); // and stays
    CHECK(m.cpu.trap_reason() == reason);
    CHECK(m.cpu.cycle() == cycle);
    m.cpu.reset(0x8000);
    CHECK(m.cpu.trap_reason().empty());
    m.write(0x8000, {nop, nop});
    CHECK(m.cpu.run(cycle + 2) == Stop::limit);
}

} // namespace

TEST_CASE("accesses outside SRAM and the special registers trap with the address") {
    for (uint32_t address : {0x10000u, 0x7ffffffcu, 0xfffffbfcu}) {
        char text[20];
        snprintf(text, sizeof text, "0x%08x", address);
        expect_trap({nop, ld(r7, r6, 0)}, address, 4, std::string("load of 4 bytes at ") + text);
        expect_trap({nop, rm(true, r7, r6, post, 4)}, address, 4, std::string("store of 4 bytes at ") + text);
        expect_trap({nop, spls(false, byte, r7, r6, post, 1)}, address, 4,
                    std::string("load of 1 bytes at ") + text);
        expect_trap({nop, rrm(true, half, r7, r6, r0, at_rs1)}, address, 4,
                    std::string("store of 2 bytes at ") + text);
        expect_trap({nop, rm(false, pc, r6, offset, 0)}, address, 4,
                    std::string("load of 4 bytes at ") + text);
    }
}

TEST_CASE("unaligned accesses trap, in SRAM and in the special registers") {
    for (uint32_t base : {0x100u, 0xfffffd00u}) {
        for (uint32_t off : {1u, 2u, 3u}) {
            expect_trap({ld(r7, r6, 0)}, base + off, 0, "unaligned");
            expect_trap({st(r7, r6, 0)}, base + off, 0, "unaligned");
        }
        expect_trap({spls(false, half, r7, r6, offset, 0)}, base + 1, 0, "unaligned");
        expect_trap({spls(true, half, r7, r6, offset, 0)}, base + 3, 0, "unaligned");
    }
    expect_trap({ld(r7, r6, 0)}, 0xffffffff, 0, "unaligned");
}

TEST_CASE("the last bytes of SRAM and of the special registers can be reached") {
    Machine m{ld(r7, r6, 0), spls(false, byte, r8, r6, offset, 3), ld(r9, r0, -4)};
    m.write(0xfffc, 0x01020384);
    m.special.value = 9;
    m.run({{r6, 0xfffc}}, 3);
    CHECK(m.reg(r7) == 0x01020384);
    CHECK(m.reg(r8) == 0xffffff84);
    CHECK(m.reg(r9) == 9);
}

TEST_CASE("undefined instructions trap when reached, not when passed by") {
    expect_trap({nop, 0xf003ff47}, 0, 4, "undefined instruction 0xf003ff47");
    expect_trap({branch(T, 8), 0xd3980000, nop}, 0, 4, "undefined instruction 0xd3980000");
    Machine m{branch(T, 12), nop, 0xd3980000, nop};
    CHECK(m.cpu.run(3) == Stop::limit);
}

TEST_CASE("bad jump targets, jumps in slots and running off the end trap") {
    expect_trap({rr(op_or, pc, r6, r0), nop}, 0x10000, 0, "jump to 0x00010000");
    expect_trap({rr(op_or, pc, r6, r0), nop}, 0x102, 0, "jump to 0x00000102");
    expect_trap({branch(T, 0x20000), nop}, 0, 0, "jump to 0x00020000");
    expect_trap({branch(T, 0x40), branch(T, 0x80)}, 0, 4, "delay slot");
    expect_trap({sli(pc, 0x40), nop, branch(T, 0x80)}, 0, 8, "delay slot");
    expect_trap({branch(T, 0xfffc), nop}, 0, 0x10000, "end of SRAM"); // 0xfffc holds 0: add r0, 0 to r0
    Machine m{branch(T, 0x40), branch(F, 0x80), nop};                 // not taken: harmless
    CHECK(m.cpu.run(3) == Stop::limit);
    m.cpu.reset(0x10000);
    CHECK(m.cpu.run(100) == Stop::trap);
    CHECK(m.cpu.trap_reason().find("start address 0x00010000") != std::string::npos);
    m.cpu.reset(2);
    CHECK(m.cpu.run(100) == Stop::trap);
}

TEST_CASE("bad arguments are refused") {
    RecordingRegisters special;
    std::vector<uint8_t> bytes(6);
    CHECK_THROWS_AS(Cpu(bytes, special), std::invalid_argument);
    bytes.clear();
    CHECK_THROWS_AS(Cpu(bytes, special), std::invalid_argument);
    Machine m;
    CHECK_THROWS_AS(m.cpu.set_reg(2, 0), std::out_of_range);
    CHECK_THROWS_AS(m.cpu.set_reg(32, 0), std::out_of_range);
    CHECK_THROWS_AS(m.cpu.reg(32), std::out_of_range);
}

TEST_CASE("stores into executed text, and text_changed(), take effect") {
    // A loop whose first instruction is replaced by a byte store, then by a word store to the instruction
    // ahead.
    Machine m{ri(op_add, r7, r0, 1), spls(true, byte, r8, r0, offset, 3), branch(T, 0), nop};
    m.run({{r8, 9}}, 5);
    CHECK(m.reg(r7) == 9);
    Machine ahead{st(r8, r0, 4), ri(op_add, r7, r0, 1), branch(T, 0), nop};
    ahead.run({{r8, nop}}, 5); // first pass decodes ahead of the store; r7 is never set
    CHECK(ahead.reg(r7) == 0);
    Machine own{rm(true, r8, r6, post, 4), branch(T, 0), nop}; // overwrites itself and still writes back
    own.run({{r6, 0}, {r8, nop}}, 4);
    CHECK(own.reg(r6) == 4);

    Machine host{ri(op_add, r7, r0, 1), branch(T, 0), nop};
    host.step(3);
    host.write(0, ri(op_add, r7, r0, 2));
    host.cpu.text_changed(3, 1); // any byte of the word
    host.step(1);
    CHECK(host.reg(r7) == 2);
    host.cpu.text_changed(0, 0xffffffff); // far beyond is fine
    host.cpu.text_changed(0xfffffff0, 0xffffffff);
    host.write(0, ri(op_add, r7, r0, 3));
    host.cpu.reset(0);
    host.step(1);
    CHECK(host.reg(r7) == 3);
}

TEST_CASE("reset clears registers, flags and a pending jump and keeps the clock") {
    Machine m{ri(op_sub, r7, r6, 1, set_flags), branch(T, 0x40), nop};
    m.run({{r6, 1}}, 2);
    CHECK(m.cpu.jump_pending());
    m.cpu.reset(0x20);
    CHECK_FALSE(m.cpu.jump_pending());
    m.write(0x20,
            {set_condition(EQ, r8), set_condition(CS, r9), set_condition(VS, r10), set_condition(MI, r11)});
    m.step(4);
    for (unsigned n : {r6, r7, r8, r9, r10, r11})
        CHECK(m.reg(n) == 0);
    CHECK(m.reg(r1) == 0xffffffff);
    CHECK(m.cpu.pc() == 0x30);
    CHECK(m.cpu.cycle() == 6);
    CHECK(m.cpu.instructions() == 6);
}
