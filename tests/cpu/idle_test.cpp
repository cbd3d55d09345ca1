// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

#include <map>

using namespace myri::test;

namespace {

constexpr uint32_t head = 0x40, request = 0x800, counter = 0x804;

// A firmware in small: polls the word at `request`; if it is not 0, clears it, adds it to the word at
// `counter` and polls again. One empty pass: ld, its use (1 stall), bne, its slot (a load from ISR), bt, its
// slot.
struct Firmware : Machine {
    explicit Firmware(CpuTiming timing = {}) : Machine(timing) {
        write(0, {nop, branch(T, head), ri(op_add, r10, r0, 0)});
        write(head, {
                        ld(r6, r0, request),              // 40
                        rr(op_or, r6, r6, r0, set_flags), // 44
                        branch(NE, 0x80),                 // 48
                        ld(r9, r0, -0x208),               // 4c slot: ISR
                        branch(T, head),                  // 50
                        nop,                              // 54
                    });
        write(0x80, {
                        st(r0, r0, request),    // 80
                        ld(r7, r0, counter),    // 84
                        rr(op_add, r7, r7, r6), // 88
                        branch(T, head),        // 8c
                        st(r7, r0, counter),    // 90 slot
                    });
    }
};
constexpr uint64_t pass = 7; // 6 instructions and a stall

// Runs until `end`, writing requests at the given cycles. Uses idle skipping or not.
void drive(Firmware& m, const std::map<uint64_t, uint32_t>& requests, uint64_t end, unsigned& idles) {
    auto run_to = [&](uint64_t cycle) {
        while (m.cpu.cycle() < cycle)
            if (m.cpu.run(cycle) == Stop::idle) {
                idles++;
                m.cpu.skip_idle(cycle);
                // The remainder is less than a pass, so it cannot report idle again.
                CHECK(m.cpu.run(cycle) == Stop::limit);
            }
    };
    for (auto [at, value] : requests) {
        run_to(at);
        m.write(request, value);
    }
    run_to(end);
}

} // namespace

TEST_CASE("skipping idle passes ends in the same cycle and state as executing them") {
    for (unsigned start : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 50u, 51u}) {
        std::map<uint64_t, uint32_t> requests = {
            {100 + start, 5}, {131 + start, 7}, {5000 + 3 * start, 11}, {5100 + 2 * start, 13}, {40000, 17}};
        Firmware plain, skipping;
        skipping.cpu.watch_idle(head);
        unsigned none = 0, idles = 0;
        drive(plain, requests, 100000 + start, none);
        drive(skipping, requests, 100000 + start, idles);
        CAPTURE(start);
        CHECK(none == 0);
        CHECK(idles >= 3);
        CHECK(skipping.cpu.cycle() == plain.cpu.cycle());
        CHECK(skipping.cpu.instructions() == plain.cpu.instructions());
        CHECK(skipping.cpu.pc() == plain.cpu.pc());
        CHECK(skipping.sram == plain.sram);
        for (unsigned n = 0; n < 32; n++)
            CHECK(skipping.reg(n) == plain.reg(n));
        CHECK(plain.cpu.skipped_instructions() == 0);
        CHECK(skipping.cpu.skipped_instructions() > 80000);
        CHECK(plain.read(counter) == 5 + 7 + 11 + 13 + 17);
    }
}

TEST_CASE("a pass is reported at the second arrival and skipped in whole passes") {
    Firmware m;
    m.cpu.watch_idle(head);
    CHECK(m.cpu.run(1000) == Stop::idle);
    CHECK(m.cpu.pc() == head);
    // Arrivals at 3, 10, 17: the first pass changes r6, r9 from their start values only if those differ from
    // 0.
    CHECK(m.cpu.cycle() == 3 + 2 * pass);
    m.cpu.skip_idle(3 + 100 * pass + 5);
    CHECK(m.cpu.cycle() == 3 + 100 * pass);
    m.cpu.skip_idle(50); // the past
    CHECK(m.cpu.cycle() == 3 + 100 * pass);
    // Running on executes a pass and may report the next.
    CHECK(m.cpu.run(10000) == Stop::idle);
    CHECK(m.cpu.cycle() == 3 + 101 * pass);
    CHECK(m.cpu.run(m.cpu.cycle() + 3) == Stop::limit);
    m.cpu.skip_idle(100000); // not idle now
    CHECK(m.cpu.cycle() == 3 + 101 * pass + 3);
}

TEST_CASE("a change made in the middle of a pass, behind its poll, is not lost") {
    Firmware m;
    m.cpu.watch_idle(head);
    CHECK(m.cpu.run(1000) == Stop::idle);
    uint64_t at = m.cpu.cycle() + 3;
    CHECK(m.cpu.run(at) == Stop::limit); // has polled 0
    m.write(request, 5);
    // The pass that is under way must not count as proof of idleness.
    while (m.cpu.run(at + 30) != Stop::limit)
        CHECK(m.read(counter) == 5);
    CHECK(m.read(counter) == 5);
}

TEST_CASE("no idleness while a pass stores, reads a clock or changes a register or flag") {
    auto report = [](std::vector<uint32_t> body) {
        Machine m;
        m.write(0, {nop, nop});
        body.push_back(branch(T, 8));
        body.push_back(nop);
        m.write(8, body);
        m.cpu.watch_idle(8);
        m.cpu.set_reg(r6, 0x1000);
        return m.cpu.run(5000);
    };
    CHECK(report({nop}) == Stop::idle);
    CHECK(report({ld(r7, r0, -0x208)}) == Stop::idle); // ISR
    CHECK(report({ld(r7, r6, 0), rr(op_add, r8, r7, r7)}) == Stop::idle);
    CHECK(report({st(r7, r6, 0)}) == Stop::limit);
    CHECK(report({spls(true, byte, r7, r6, offset, 0)}) == Stop::limit);
    CHECK(report({st(r0, r0, -0x208)}) == Stop::limit);
    CHECK(report({ri(op_add, r7, r7, 1)}) == Stop::limit);
    for (int32_t clock : {0x128, 0x130, 0x138, 0x140, 0x148}) {
        CHECK(report({ld(r7, r0, clock - 0x400)}) == Stop::limit);
        CHECK(report({ri(op_sub, r8, r0, 0x400), spls(false, byte, r7, r8, offset, clock + 3)}) ==
              Stop::limit);
    }
    // A flag that alternates: C, by adding it to all ones.
    CHECK(report({set_condition(CS, r7), ri(op_xor, r7, r7, 1), ri(op_sub, r0, r7, 1, set_flags),
                  ri(op_add, r7, r0, 0)}) == Stop::limit);
}

TEST_CASE("the watched instruction itself may be of any kind, and watching can end") {
    struct {
        uint32_t first;
        Stop expected;
    } rows[] = {{ld(r7, r0, request), Stop::idle},
                {rr(op_add, r7, r0, r6, false, NE), Stop::idle}, // predicated, taken
                {rr(op_add, r7, r7, r6, false, EQ), Stop::idle}, // predicated, not taken
                {ri(op_add, r7, pc, 0), Stop::idle},
                {branch(F, 0), Stop::idle},
                {ri(op_add, r7, r7, 1), Stop::limit},
                {0xf003c000, Stop::trap}};
    for (auto row : rows) {
        Machine m{nop, nop, row.first, branch(T, 8), nop};
        m.cpu.watch_idle(8);
        CHECK(m.cpu.run(1000) == row.expected);
        if (row.expected != Stop::idle)
            continue;
        m.cpu.watch_idle(0);
        CHECK(m.cpu.run(1000) == Stop::limit);
        m.cpu.watch_idle(8);
        CHECK(m.cpu.run(2000) == Stop::idle);
    }
}

TEST_CASE("an arrival in a delay slot is no arrival") {
    // The watched address 0x0c is only executed as a slot.
    Machine m{nop, nop, branch(T, 8), nop};
    m.cpu.watch_idle(0x0c);
    CHECK(m.cpu.run(1000) == Stop::limit);
    CHECK(m.cpu.cycle() == 1000);
}
