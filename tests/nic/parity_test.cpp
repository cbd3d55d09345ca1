// SPDX-License-Identifier: BSD-3-Clause
//
// Words with bad parity: who reads one sets ISR.PARITY_INT, who stores the whole word repairs it. And a processor that
// stands still.
#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

constexpr uint32_t BAD = 0x8008;
constexpr uint32_t CHAIN = 0x9000, BUFFER = 0x20000;

struct ParityRig : Rig {
    bool parity() { return isr() & LANAI_ISR_PARITY; }
    void clear() { set_special(LANAI_ISR, LANAI_ISR_PARITY); }
    // Without reading it.
    bool still_bad() {
        clear();
        word(BAD);
        const bool bad = parity();
        clear();
        return bad;
    }
    // Runs a few instructions and then a tight loop.
    void run_program(Program program) {
        const auto end = static_cast<uint32_t>(4 * program.size());
        program.push_back(bt(end));
        program.push_back(nop());
        start(program);
        run_for(2 * US);
    }
    void dma(uint32_t flags, uint32_t bytes, uint32_t sram, uint32_t descriptor = CHAIN) {
        set_special(LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
        dma_descriptor(descriptor, flags | LANAI_DMA_END, bytes, FakeHost::BASE, sram, 0);
        if (bad_descriptor)
            card.inject_parity(now, descriptor + 12);
        set_special(LANAI_DMA0_POINTER, descriptor);
        hand_over(0, 1);
        run_for(20 * US);
    }
    bool bad_descriptor = false;
};

} // namespace

TEST_CASE("the processor's load of a bad word sets PARITY_INT, as often as it happens; neighbours are good") {
    ParityRig rig;
    rig.set_word(BAD, 0x12345678);
    rig.card.inject_parity(rig.now, BAD);
    rig.run_program({ld(6, BAD - 4), ld(6, BAD + 4)});
    CHECK_FALSE(rig.parity());
    rig.control(LANAI_CONTROL_CPU_RESET_ON);
    rig.run_program({ld(6, BAD), st(6, 0xa000)});
    CHECK(rig.parity());
    CHECK(rig.word(0xa000) == 0x12345678); // the value is what it is
    rig.clear();
    CHECK_FALSE(rig.parity());
    rig.control(LANAI_CONTROL_CPU_RESET_ON);
    rig.run_program({ld(6, BAD)});
    CHECK(rig.parity());
}

TEST_CASE("the processor's store of the whole word repairs it") {
    ParityRig rig;
    rig.card.inject_parity(rig.now, BAD);
    rig.run_program({mov(6, 5), st(6, BAD), ld(7, BAD), st(7, 0xa000)});
    CHECK_FALSE(rig.parity());
    CHECK(rig.word(0xa000) == 5);
    CHECK_FALSE(rig.still_bad());
}

TEST_CASE("an instruction with bad parity is executed and sets PARITY_INT, also when it was executed before") {
    ParityRig rig;
    // 0: r6 counts the passes
    rig.start({add(6, 6, 1), st(6, 0xa000), bt(0), nop()});
    rig.run_for(1 * US);
    CHECK_FALSE(rig.parity());
    const uint32_t before = rig.word(0xa000);
    rig.card.inject_parity(rig.now, 0);
    rig.run_for(1 * US);
    CHECK(rig.parity());
    CHECK(rig.word(0xa000) > before + 40);
    CHECK(rig.word(0xa000) < before + 80);
    rig.set_word(0, add(6, 6, 2)); // repaired by the host
    rig.clear();
    rig.run_for(1 * US);
    CHECK_FALSE(rig.parity());
    CHECK_FALSE(rig.card.trapped());
}

TEST_CASE("the host's read of a bad word sets PARITY_INT and its store of the word repairs it") {
    ParityRig rig;
    rig.card.inject_parity(rig.now, BAD);
    rig.word(BAD - 4);
    rig.word(BAD + 4);
    CHECK_FALSE(rig.parity());
    rig.word(BAD);
    CHECK(rig.parity());
    CHECK(rig.still_bad());
    const std::vector<uint8_t> bytes(8, 1);
    rig.card.sram_write(rig.now, BAD - 6, std::span(bytes).first(8)); // its first half
    rig.card.sram_write(rig.now, BAD + 2, std::span(bytes).first(8)); // its second half: never the whole
    CHECK(rig.still_bad());
    rig.card.sram_write(rig.now, BAD - 4, bytes);
    CHECK_FALSE(rig.still_bad());
    rig.card.inject_parity(rig.now, BAD);
    rig.set_word(BAD, 7);
    CHECK_FALSE(rig.still_bad());
}

TEST_CASE("DMA that reads a bad word sets PARITY_INT, DMA that fills it repairs it") {
    ParityRig rig;
    rig.card.inject_parity(rig.now, BAD);
    rig.dma(0, 8, BAD - 8);
    rig.dma(0, 8, BAD + 4);
    CHECK_FALSE(rig.parity());
    rig.dma(0, 64, BAD - 61); // touches its last bytes
    CHECK(rig.parity());
    rig.clear();
    rig.dma(LANAI_DMA_READ, 6, BAD - 4);
    CHECK(rig.still_bad());
    rig.dma(LANAI_DMA_READ, 8, BAD - 4);
    CHECK_FALSE(rig.still_bad());

    rig.bad_descriptor = true;
    rig.dma(LANAI_DMA_READ, 8, 0x4000);
    CHECK(rig.parity());
}

TEST_CASE("a port that sends a bad word sets PARITY_INT, one that receives into it repairs it") {
    ParityRig rig;
    rig.card.inject_parity(rig.now, BAD);
    rig.send_descriptor(BAD - 8, LANAI_SEND_LAST | 8);
    rig.run_for(5 * US);
    CHECK_FALSE(rig.parity());
    rig.send_descriptor(BAD - 8, LANAI_SEND_LAST | 9);
    rig.run_for(5 * US);
    CHECK(rig.parity());
    CHECK(rig.link.sent.size() == 2);

    rig.clear();
    rig.card.inject_parity(rig.now, BUFFER + 4);
    rig.set_special(LANAI_P0_RPL_CONFIG, LANAI_RPL_ENABLE | LANAI_RPL_BUFFER_SIZE(3) | LANAI_RPL_BLOCK_SIZE(3) |
                                             LANAI_RPL_MAX_PACKET(1));
    rig.set_special(LANAI_P0_RB, BUFFER);
    rig.link.deliver(rig.now + 1 * US, packet_of(64));
    rig.run_for(5 * US);
    CHECK(rig.word(BUFFER + 4) == 0x04050607);
    CHECK_FALSE(rig.parity());
}

TEST_CASE("idle firmware that polls a word sees that it has gone bad") {
    ParityRig rig;
    constexpr uint32_t LOOP = 8;
    // Polls BAD and ISR; once ISR has anything, stores it at 0xa000 and stands.
    rig.start({mov_high(21, LANAI_ISR_PARITY >> 16), nop(), ld(8, BAD), ld_special(9, LANAI_ISR), nop(), test(9, 21),
               beq(LOOP), nop(), st(9, 0xa000), bt(36), nop()},
              LOOP);
    rig.run_for(10 * US);
    REQUIRE(rig.card.idle());
    rig.card.inject_parity(rig.now, BAD);
    rig.run_for(10 * US);
    CHECK((rig.word(0xa000) & LANAI_ISR_PARITY) != 0);
}

TEST_CASE("a place that is no word of SRAM cannot be bad") {
    ParityRig rig;
    CHECK_THROWS_AS(rig.card.inject_parity(rig.now, 2), std::out_of_range);
    CHECK_THROWS_AS(rig.card.inject_parity(rig.now, 2u << 20), std::out_of_range);
}

TEST_CASE("a stalled processor executes nothing until its reset is released again; DMA goes on") {
    ParityRig rig;
    rig.start({add(6, 6, 1), st(6, 0xa000), bt(0), nop()});
    rig.run_for(1 * US);
    rig.card.stall(rig.now);
    const uint32_t there = rig.word(0xa000);
    rig.run_for(1 * MS);
    CHECK(rig.word(0xa000) == there);
    CHECK_FALSE(rig.card.trapped());
    rig.dma(LANAI_DMA_READ, 8, 0x4000);
    CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) != 0);
    CHECK(rig.word(0xa000) == there);
    rig.control(LANAI_CONTROL_CPU_RESET_ON);
    rig.run_for(1 * US);
    CHECK(rig.word(0xa000) == there);
    rig.control(LANAI_CONTROL_CPU_RESET_OFF);
    rig.run_for(1 * US);
    CHECK(rig.word(0xa000) > 0);
    CHECK(rig.word(0xa000) < 80); // counted from 0 again
}
