// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary machine code: whatever it does, it stays inside SRAM (sanitizers watch), and how a run is cut
// into slices, idle watching and profiling steps must not change what it does.
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

#include <random>

using namespace myri::test;

namespace {

struct State {
    Stop stop;
    uint64_t cycle, instructions;
    uint32_t pc;
    std::vector<uint32_t> registers;
    std::vector<uint8_t> sram;
    std::vector<Access> accesses;
    bool operator==(const State&) const = default;
};

// A word that is likely to be an instruction that does something within the 64 KiB.
uint32_t random_word(std::mt19937& random) {
    auto any = [&] { return static_cast<uint32_t>(random()); };
    auto r = [&] { return static_cast<unsigned>(random() % 8 + (random() % 8 ? 3 : 0)); };
    switch (random() % 12) {
    case 0:
        return branch(any() % 16, any() % 0x400);
    case 1:
        return spls(any() & 1, any() % 6 & ~2u, r(), 0, any() % 4, static_cast<int32_t>(any() % 512));
    case 2:
        return rm(any() & 1, r(), r(), any() % 4, static_cast<int32_t>(any() % 256 * 4));
    case 3:
        return sls(any() & 1, r(), any() % 0x1000);
    case 4:
        return rrm(any() & 1, any() % 6, r(), r(), r(), any() % 4, any() % 8, 0x10);
    case 5:
        return ld(r(), r0, -static_cast<int32_t>(any() % 256 * 4));
    case 6:
        return ri(op_add, r(), r0, any() % 0x400 & ~3u);
    case 7:
        return rr(any() % 8, r(), r(), r(), any() & 1, any() % 16, 0x10);
    case 8:
        return branch_relative(any() % 16, pc, static_cast<int32_t>(any() % 64 * 4) - 128);
    case 9:
        return any();
    default:
        return ri(any() % 8, r(), r(), any() % 8, any() & 1, any() & 1);
    }
}

State execute(unsigned seed, unsigned slice, uint32_t watched) {
    Machine m({.load_use_stall = 1 + seed % 2, .subword_extra = seed % 3, .data_access_extra = seed % 4 / 3});
    std::mt19937 random(seed);
    for (uint32_t at = 0; at < 0x1000; at += 4)
        m.write(at, random_word(random));
    m.special.value = static_cast<uint32_t>(random());
    m.cpu.watch_idle(watched);
    const uint64_t end = 3000;
    Stop stop = Stop::limit;
    while (m.cpu.cycle() < end && stop != Stop::trap) {
        stop = m.cpu.run(std::min(end, m.cpu.cycle() + slice));
        if (stop == Stop::idle)
            m.cpu.skip_idle(end);
    }
    State state{stop == Stop::trap ? stop : Stop::limit,
                m.cpu.cycle(),
                m.cpu.instructions(),
                m.cpu.pc(),
                {},
                m.sram,
                m.special.accesses};
    for (unsigned n = 0; n < 32; n++)
        state.registers.push_back(m.reg(n));
    return state;
}

} // namespace

TEST_CASE("arbitrary code does the same in one run, in slices and with an idle watch") {
    unsigned long long executed = 0;
    for (unsigned seed = 1; seed <= 1500; seed++) {
        CAPTURE(seed);
        State whole = execute(seed, 1000000, 0);
        executed += whole.instructions;
        CHECK(execute(seed, 1, 0) == whole);
        CHECK(execute(seed, 7, 0) == whole);
        State watched = execute(seed, 1000000, seed % 64 * 4);
        watched.accesses = whole.accesses; // skipped passes may have loaded special registers
        CHECK(watched == whole);
    }
    CHECK(executed > 100000);
}
