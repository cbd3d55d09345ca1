// SPDX-License-Identifier: BSD-3-Clause
//
// Watched words: each access is told, and nothing else about the execution changes.
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace myri::test;

namespace {

struct Told {
    uint32_t address;
    unsigned bytes;
    bool is_store;
    bool operator==(const Told&) const = default;
};

struct Watched : myri::emulator::SpecialRegisters {
    uint32_t load(uint32_t, unsigned, uint64_t) override { return 0x8f; }
    void store(uint32_t, unsigned, uint32_t, uint64_t) override {}
    void watched(uint32_t address, unsigned bytes, bool is_store, uint64_t) override {
        told.push_back({address, bytes, is_store});
    }
    std::vector<Told> told;
};

// Every size and sign, loads and stores, and special registers; r6 points to 0x300.
const std::vector<uint32_t> ACCESSES{
    rm(false, r7, r6, offset, 0),         rm(true, r7, r6, offset, 8),          spls(false, half, r8, r6, offset, 2),
    spls(false, half_zero, r9, r6, offset, 0), spls(false, byte, r10, r6, offset, 1), spls(false, byte_zero, r11, r6, offset, 3),
    spls(true, half, r8, r6, offset, 14), spls(true, byte, r10, r6, offset, 17), rm(false, r12, r0, offset, -0x400),
    rm(true, r12, r0, offset, -0x400),    rrm(false, word, r13, r6, r0, post),  ri(op_add, r14, r13, 1)};

struct Result {
    std::vector<uint8_t> sram;
    std::vector<uint32_t> registers;
    uint64_t cycles;
    bool operator==(const Result&) const = default;
};

Result run(bool watching, CpuTiming timing, std::vector<Told>* told, uint32_t word) {
    Watched special;
    std::vector<uint8_t> sram(65536);
    auto put = [&](uint32_t at, uint32_t value) {
        for (unsigned i = 0; i < 4; i++)
            sram[at + i] = static_cast<uint8_t>(value >> (24 - 8 * i));
    };
    for (uint32_t i = 0; i < ACCESSES.size(); i++)
        put(4 * i, ACCESSES[i]);
    put(0x300, 0x81726394);
    Cpu cpu(sram, special, timing);
    cpu.set_reg(r6, 0x300);
    if (watching)
        cpu.watch_word(word);
    while (cpu.instructions() < ACCESSES.size())
        cpu.run(cpu.cycle() + 1);
    Result r{sram, {}, cpu.cycle()};
    for (unsigned n = 3; n < 32; n++)
        r.registers.push_back(cpu.reg(n));
    if (told)
        *told = special.told;
    return r;
}

} // namespace

TEST_CASE("watching an untouched word changes no result and no cycle") {
    for (CpuTiming timing : {CpuTiming{}, CpuTiming{2, 3, 5}}) {
        std::vector<Told> told;
        CHECK(run(false, timing, nullptr, 0) == run(true, timing, &told, 0x304));
        CHECK(told.empty());
    }
}

TEST_CASE("each access to a watched word is told, whole or in part") {
    std::vector<Told> told;
    CHECK(run(false, {}, nullptr, 0) == run(true, {}, &told, 0x300));
    CHECK(told == std::vector<Told>{{0x300, 4, false}, {0x302, 2, false}, {0x300, 2, false}, {0x301, 1, false},
                                    {0x303, 1, false}, {0x300, 4, false}});
    run(true, {}, &told, 0x30c);
    CHECK(told == std::vector<Told>{{0x30e, 2, true}});
    run(true, {}, &told, 4); // an instruction
    CHECK(told == std::vector<Told>{{4, 4, false}});
}

TEST_CASE("only words wholly covered are let go, and no other place can be watched") {
    Machine m;
    m.cpu.watch_word(0x100);
    m.cpu.watch_word(0x108);
    m.cpu.watch_word(0x108);
    m.cpu.unwatch(0xfd, 6);
    CHECK(m.cpu.watches(0x103, 1));
    CHECK_FALSE(m.cpu.watches(0x104, 4));
    CHECK(m.cpu.watches(0x104, 5));
    m.cpu.unwatch(0x100, 12);
    CHECK_FALSE(m.cpu.watching());
    CHECK_THROWS_AS(m.cpu.watch_word(65536), std::out_of_range);
    CHECK_THROWS_AS(m.cpu.watch_word(2), std::out_of_range);
}

TEST_CASE("unaligned and wild accesses trap as ever while words are watched") {
    for (bool unaligned : {true, false}) {
        Machine m{rm(false, r7, r6, offset, unaligned ? 2 : 0)};
        m.cpu.watch_word(0x400);
        m.cpu.set_reg(r6, unaligned ? 0x300 : 0x10000);
        CHECK(m.cpu.run(10) == Stop::trap);
        CHECK(m.cpu.trap_reason().find("load of 4 bytes") != std::string::npos);
    }
}
