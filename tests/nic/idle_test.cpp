// SPDX-License-Identifier: BSD-3-Clause
//
// Idle firmware costs nothing, and nothing can tell that its passes were skipped.
#include <doctest/doctest.h>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

constexpr uint32_t LOOP = 8, MAILBOX = 0x1000, LOG = 0x2000;
constexpr uint32_t BUFFER = 0x20000;

// Loops over ISR and a mailbox in SRAM. When either has something, notes CPUC in the next log entry, answers
// with a packet, clears both, and goes on. r20: log pointer.
const Program FIRMWARE = {
    mov(20, LOG),
    mov(21, LANAI_ISR_P0_RECEIVED),
    ld_special(8, LANAI_ISR), // 8
    test(8, 21),
    bne(48),
    nop(),
    ld(9, MAILBOX),
    cmp(9, 0),
    beq(LOOP),
    nop(),
    nop(),
    nop(),
    ld_special(10, LANAI_CPUC),                       // 48
    0x90000000 | 10u << 23 | 20u << 18 | 0x10000 | 4, // st r10,[r20++]
    mov(9, 0),
    st(9, MAILBOX),
    st_special(21, LANAI_ISR),
    mov(7, 0x8000),
    st_special(7, LANAI_P0_SEND),
    mov_high(7, LANAI_SEND_LAST >> 16),
    add(7, 7, 16),
    st_special(7, LANAI_P0_SEND),
    bt(LOOP),
    nop(),
};

struct Result {
    std::vector<uint32_t> log;
    std::vector<Time> sent_at;
    uint64_t cycles, instructions;
    bool operator==(const Result&) const = default;
};

Result run(bool skipping, unsigned& steps) {
    Rig rig;
    rig.card.set_idle_skipping(skipping);
    rig.set_special(LANAI_P0_RPL_CONFIG, LANAI_RPL_ENABLE | LANAI_RPL_BUFFER_SIZE(7) |
                                             LANAI_RPL_BLOCK_SIZE(3) | LANAI_RPL_MAX_PACKET(1));
    rig.set_special(LANAI_P0_RB, BUFFER);
    rig.start(FIRMWARE, LOOP);
    rig.set_special(LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
    rig.memory.memory[3] = 1;
    rig.dma_descriptor(0x9000, LANAI_DMA_READ, 4, FakeHost::BASE, MAILBOX, 0);
    rig.set_special(LANAI_DMA0_POINTER, 0x9000);
    // Events at odd times, so that they meet the loop in every phase.
    for (unsigned i = 0; i < 40; i++) {
        rig.link.deliver(50 * US + i * 30'011'237, packet_of(30));
        rig.scheduler.at(60 * US + i * 30'007'001, 3, [&rig](Time t) {
            const uint8_t one[4] = {0, 0, 0, 1};
            rig.card.sram_write(t, MAILBOX, one);
        });
        rig.scheduler.at(70 * US + i * 30'003'371, 3, [&rig](Time t) {
            rig.card.bar_write32(t, LANAI_BAR0_SPECIAL + Rig::count_word(0), 1u << Rig::count_shift(0));
        });
    }
    bool there = false;
    rig.scheduler.at(2 * MS, 3, [&](Time) { there = true; });
    steps = 0;
    while (!there) {
        rig.timeline.step();
        steps++;
    }
    rig.now = 2 * MS;
    rig.card.advance_to(rig.now);
    Result result{{}, rig.link.sent_at, rig.card.cycles(), rig.card.instructions()};
    for (uint32_t i = 0; i < 120; i++)
        result.log.push_back(rig.word(LOG + 4 * i));
    return result;
}

} // namespace

TEST_CASE("skipping idle passes changes no cycle") {
    unsigned with_skipping = 0, without = 0;
    const Result skipped = run(true, with_skipping), executed = run(false, without);
    CHECK(skipped.sent_at.size() == 120);
    CHECK(skipped.log[119] != 0);
    CHECK(skipped.log == executed.log);
    CHECK(skipped.sent_at == executed.sent_at);
    CHECK(skipped.cycles == executed.cycles);
    CHECK(skipped.instructions == executed.instructions);
    CHECK(executed.cycles >= 450'000); // 2 ms at 225 MHz
}

TEST_CASE("an idle card has no clock until something touches it") {
    Rig rig;
    rig.start(FIRMWARE, LOOP);
    CHECK(rig.card.clock() != NEVER);
    rig.run_until(100 * US);
    CHECK(rig.card.idle());
    CHECK(rig.card.clock() == NEVER);
    CHECK(rig.timeline.front() == NEVER);
    CHECK(rig.word(MAILBOX) == 0);
    CHECK(rig.card.idle()); // reading does not wake it
    rig.card.touch(rig.now);
    CHECK_FALSE(rig.card.idle());
    CHECK(rig.card.clock() >= rig.now);
    CHECK(rig.card.clock() < rig.now + 50 * NS);
    rig.run_for(10 * US);
    CHECK(rig.card.idle());
}

TEST_CASE("a look goes through a whole pass at once, and finds what nobody told of") {
    Rig rig;
    rig.start(FIRMWARE, LOOP);
    rig.run_until(100 * US);
    CHECK(rig.card.look(rig.now));
    CHECK(rig.card.clock() == NEVER);
    rig.card.sram()[MAILBOX + 3] = 1;
    rig.run_for(10 * US);
    CHECK(rig.card.sram()[MAILBOX + 3] == 1);
    rig.card.look(rig.now);
    CHECK(rig.card.sram()[MAILBOX + 3] == 0);
    rig.run_for(100 * US);
    CHECK(rig.card.look(rig.now));
    // A pass that is under way has perhaps looked already.
    rig.card.touch(rig.now);
    rig.run_for(30 * NS);
    rig.card.sram()[MAILBOX + 3] = 1;
    rig.card.look(rig.now);
    CHECK(rig.card.sram()[MAILBOX + 3] == 0);
    // A processor that is held or never rests.
    rig.control(LANAI_CONTROL_CPU_RESET_ON);
    CHECK(rig.card.look(rig.now));
    rig.card.set_idle_skipping(false);
    rig.control(LANAI_CONTROL_CPU_RESET_OFF);
    CHECK_FALSE(rig.card.look(rig.now));
}

TEST_CASE("with skipping off a card is never idle") {
    Rig rig;
    rig.card.set_idle_skipping(false);
    rig.start(FIRMWARE, LOOP);
    rig.run_until(100 * US);
    CHECK_FALSE(rig.card.idle());
    CHECK(rig.card.clock() >= 100 * US);
}

TEST_CASE("a loop that watches the count of a packet in progress is not idle") {
    Rig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, LANAI_RPL_ENABLE | LANAI_RPL_BUFFER_SIZE(7) |
                                             LANAI_RPL_BLOCK_SIZE(3) | LANAI_RPL_MAX_PACKET(3));
    rig.set_special(LANAI_P0_RB, BUFFER);
    // Waits for 101 bytes of a packet, then notes CPUC. Each pass ends with the registers of the one before.
    rig.start({nop(), nop(), ld_special(8, LANAI_P0_RPL_INDEX), cmp(8, 101), 0xe4000000 | 8,
               mov(8, 0), // bult 8
               ld_special(10, LANAI_CPUC), st(10, 0x1000), bt(32), nop()},
              8);
    rig.link.deliver(100 * US, packet_of(2000));
    rig.run_until(200 * US);
    // The 101st byte: 100 us + 400 ns = 22590 cycles.
    CHECK(rig.word(0x1000) >= 22590);
    CHECK(rig.word(0x1000) <= 22590 + 16);
}
