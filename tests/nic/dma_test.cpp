// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <numeric>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

constexpr uint32_t CHAIN = 0x8000; // where the descriptors are

uint8_t pattern(size_t i) {
    return static_cast<uint8_t>(i * 7 + i / 256);
}

struct DmaRig : Rig {
    DmaRig() {
        for (size_t i = 0; i < memory.memory.size(); i++)
            memory.memory[i] = pattern(i);
        set_special(LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
    }
    void go(unsigned channel, uint32_t descriptor, uint32_t n) {
        set_special(LANAI_DMA0_POINTER + 8 * channel, descriptor);
        hand_over(channel, n);
    }
};

} // namespace

TEST_CASE("a read descriptor of any length and alignment brings exactly its bytes") {
    for (uint32_t bytes : {1u, 3u, 4u, 17u, 4095u, 4096u, 4097u, 9000u})
        for (uint32_t host : {0u, 1u, 0xffdu})
            for (uint32_t sram : {0x10000u, 0x10003u}) {
                CAPTURE(bytes);
                CAPTURE(host);
                DmaRig rig;
                rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, bytes, FakeHost::BASE + host, sram,
                                   0);
                rig.go(0, CHAIN, 1);
                CHECK(rig.not_done(0) == 1);
                rig.run_for(100 * US);
                CHECK(rig.not_done(0) == 0);
                CHECK((rig.isr() & (0xfu << 24)) == LANAI_ISR_DMA_DONE(0));
                const auto got = rig.card.sram();
                bool equal = got[sram - 1] == 0 && got[sram + bytes] == 0;
                for (uint32_t i = 0; i < bytes; i++)
                    equal &= got[sram + i] == pattern(host + i);
                CHECK(equal);
                for (const FakeHost::Access& a : rig.memory.accesses)
                    REQUIRE(a.bus / 4096 == (a.bus + a.bytes - 1) / 4096);
            }
}

TEST_CASE("a write descriptor of any length and alignment changes exactly its bytes") {
    for (uint32_t bytes : {1u, 5u, 64u, 4096u, 5000u})
        for (uint32_t host : {8u, 0xffbu}) {
            CAPTURE(bytes);
            CAPTURE(host);
            DmaRig rig;
            for (uint32_t i = 0; i < bytes; i++)
                rig.card.sram()[0x20001 + i] = static_cast<uint8_t>(~pattern(i));
            rig.dma_descriptor(CHAIN, LANAI_DMA_END, bytes, FakeHost::BASE + host, 0x20001, 0);
            rig.go(1, CHAIN, 1);
            rig.run_for(100 * US);
            CHECK((rig.isr() & (0xfu << 24)) == LANAI_ISR_DMA_DONE(1));
            bool equal = true;
            for (uint32_t i = 0; i < bytes; i++)
                equal &= rig.memory.memory[host + i] == static_cast<uint8_t>(~pattern(i));
            CHECK(equal);
            CHECK(rig.memory.memory[host - 1] == pattern(host - 1));
            CHECK(rig.memory.memory[host + bytes] == pattern(host + bytes));
        }
}

TEST_CASE("a chain keeps the bus busy, counts down and reports END where it stands") {
    DmaRig rig;
    constexpr uint32_t N = 32;
    for (uint32_t i = 0; i < N; i++)
        rig.dma_descriptor(CHAIN + 24 * i, LANAI_DMA_READ | (i == N - 1 || i == 0 ? LANAI_DMA_END : 0), 4096,
                           FakeHost::BASE + 4096 * i, 0x10000 + 4096 * i,
                           LANAI_DMA_NEXT_VALID | (CHAIN + 24 * (i + 1)));
    rig.go(0, CHAIN, N);
    // Fetch 6 cycles of 4.44 ns, then 663 clocks of 7.5 ns each, then 2 cycles.
    const Time burst = 663 * 7500;
    rig.run_until(burst);
    CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) == 0);
    rig.run_until(burst + 40 * NS);
    CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) != 0);
    CHECK(rig.not_done(0) == N - 1);
    CHECK(rig.special(LANAI_DMA0_POINTER) == CHAIN + 24);
    rig.set_special(LANAI_ISR, LANAI_ISR_DMA_DONE(0));
    rig.run_until(N * burst);
    CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) == 0);
    CHECK(rig.not_done(0) == 1);
    rig.run_until(N * burst + 40 * NS);
    CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) != 0);
    CHECK(rig.not_done(0) == 0);
    CHECK(rig.special(LANAI_DMA0_POINTER) == CHAIN + 24 * N);
    bool equal = true;
    for (uint32_t i = 0; i < N * 4096; i++)
        equal &= rig.card.sram()[0x10000 + i] == pattern(i);
    CHECK(equal);
    CHECK(rig.bus.busy_clocks() == N * 663);
}

TEST_CASE("descriptors can be handed over while the chain runs") {
    DmaRig rig;
    for (uint32_t i = 0; i < 3; i++)
        rig.dma_descriptor(CHAIN + 24 * i, LANAI_DMA_READ | LANAI_DMA_END, 64, FakeHost::BASE + 64 * i,
                           0x10000 + 64 * i, LANAI_DMA_NEXT_VALID | (CHAIN + 24 * ((i + 1) % 3)));
    rig.go(2, CHAIN, 1);
    rig.run_for(100 * NS);
    rig.hand_over(2, 2);
    CHECK(rig.not_done(2) == 3);
    rig.run_for(10 * US);
    CHECK(rig.not_done(2) == 0);
    CHECK(rig.special(LANAI_DMA2_POINTER) == CHAIN);
    CHECK((rig.isr() & LANAI_ISR_DMA_ERROR) == 0);
    CHECK(rig.card.sram()[0x10000 + 191] == pattern(191));
    rig.hand_over(2, 1); // round the ring again
    rig.run_for(10 * US);
    CHECK(rig.special(LANAI_DMA2_POINTER) == CHAIN + 24);
}

TEST_CASE("four channels at once move all their bytes in turns") {
    DmaRig rig;
    for (uint32_t c = 0; c < 4; c++) {
        rig.dma_descriptor(CHAIN + 24 * c, (c % 2 ? 0 : LANAI_DMA_READ) | LANAI_DMA_END, 16384,
                           FakeHost::BASE + 0x10000 * c, 0x40000 + 0x10000 * c, 0);
        rig.go(c, CHAIN + 24 * c, 1);
    }
    // 4 bursts a channel: whoever is last ends with the last of 16 bursts.
    rig.run_for((8 * 663 + 8 * 529) * 7500);
    CHECK((rig.isr() & (0xfu << 24)) != (0xfu << 24));
    rig.run_for(50 * NS);
    CHECK((rig.isr() & (0xfu << 24)) == (0xfu << 24));
    std::vector<uint64_t> order;
    for (size_t i = 0; i < 8; i++)
        order.push_back((rig.memory.accesses[i].bus - FakeHost::BASE) / 0x10000);
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector<uint64_t>{0, 0, 1, 1, 2, 2, 3, 3});
    CHECK(rig.card.sram()[0x60000 + 16383] == pattern(0x20000 + 16383));
    CHECK(rig.memory.memory[0x10000 + 5] == 0);
}

TEST_CASE("the checksum of a descriptor is the ones-complement sum from its offset on") {
    DmaRig rig;
    const uint8_t bytes[] = {0xee, 0xee, 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7, 0x80};
    std::copy(std::begin(bytes), std::end(bytes), rig.memory.memory.begin());
    // RFC 1071's example, 0001 + f203 + f4f5 + f6f7 = ddf2, and an odd last byte 8000: 5df3.
    rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 10, FakeHost::BASE, 0x10000, 0, 2);
    rig.go(0, CHAIN, 1);
    rig.run_for(10 * US);
    CHECK(rig.word(CHAIN + 20) == 0x0002ddf2);
    rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 11, FakeHost::BASE, 0x10000, 0, 2);
    rig.hand_over(0, 1);
    rig.run_for(10 * US);
    CHECK(rig.word(CHAIN + 20) == 0x00025df3);
}

TEST_CASE("what a channel cannot do stops that channel alone and sets DMA_ERROR") {
    const auto good = [](DmaRig& rig) {
        rig.dma_descriptor(CHAIN + 0x100, LANAI_DMA_READ | LANAI_DMA_END, 8192, FakeHost::BASE, 0x10000, 0);
        rig.go(3, CHAIN + 0x100, 1);
    };
    const auto outcome = [](DmaRig& rig) {
        rig.run_for(1 * MS);
        CHECK((rig.isr() & LANAI_ISR_DMA_ERROR) != 0);
        CHECK((rig.isr() & (0xfu << 24)) == LANAI_ISR_DMA_DONE(3));
        CHECK(rig.not_done(0) == 0);
        rig.set_special(LANAI_ISR, LANAI_ISR_DMA_ERROR);
        CHECK((rig.isr() & LANAI_ISR_DMA_ERROR) == 0);
        // After that the channel works again.
        rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 8, FakeHost::BASE + 8, 0x10000, 0);
        rig.go(0, CHAIN, 1);
        rig.run_for(10 * US);
        CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) != 0);
        CHECK((rig.isr() & LANAI_ISR_DMA_ERROR) == 0);
    };
    DmaRig rig;
    good(rig);
    SUBCASE("no such host memory, read") {
        rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 8, 0x1000, 0x10000, 0);
        rig.go(0, CHAIN, 1);
        outcome(rig);
    }
    SUBCASE("no such host memory, write") {
        rig.dma_descriptor(CHAIN, LANAI_DMA_END, 8, 0x1000, 0x10000, 0);
        rig.go(0, CHAIN, 1);
        outcome(rig);
    }
    SUBCASE("behind the end of SRAM") {
        rig.dma_descriptor(CHAIN, LANAI_DMA_END, 8, FakeHost::BASE, (2u << 20) - 4, 0);
        rig.go(0, CHAIN, 1);
        outcome(rig);
    }
    SUBCASE("descriptor behind the end of SRAM") {
        rig.go(0, (2u << 20) - 16, 1);
        outcome(rig);
    }
    SUBCASE("descriptor not aligned") {
        rig.go(0, CHAIN + 4, 1);
        outcome(rig);
    }
    SUBCASE("more handed over than linked") {
        rig.dma_descriptor(CHAIN, LANAI_DMA_READ, 8, FakeHost::BASE, 0x10000, 0);
        rig.go(0, CHAIN, 2);
        outcome(rig);
    }
    SUBCASE("pointer stored while the channel works") {
        rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 8, FakeHost::BASE, 0x10000, 0);
        rig.go(0, CHAIN, 1);
        rig.set_special(LANAI_DMA0_POINTER, CHAIN);
        outcome(rig);
    }
}

TEST_CASE("channels wait for DMA_ENABLE") {
    DmaRig rig;
    rig.set_special(LANAI_DMA_CONFIG, 0);
    rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 8, FakeHost::BASE, 0x10000, 0);
    rig.go(0, CHAIN, 1);
    rig.run_for(1 * MS);
    CHECK(rig.not_done(0) == 1);
    rig.set_special(LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
    rig.run_for(10 * US);
    CHECK(rig.not_done(0) == 0);
}

TEST_CASE("an I/O reset in the middle of a transfer leaves the channel usable") {
    DmaRig rig;
    rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 4096, FakeHost::BASE, 0x10000, 0);
    rig.go(0, CHAIN, 1);
    rig.run_for(1 * US);
    rig.control(LANAI_CONTROL_IO_RESET_ON);
    rig.control(LANAI_CONTROL_IO_RESET_OFF);
    CHECK(rig.not_done(0) == 0);
    rig.set_special(LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
    rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 64, FakeHost::BASE + 100, 0x20000, 0);
    rig.go(0, CHAIN, 1);
    rig.run_for(4 * US); // the old burst still holds the bus
    CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) == 0);
    rig.run_for(10 * US);
    CHECK((rig.isr() & LANAI_ISR_DMA_DONE(0)) != 0);
    CHECK(rig.card.sram()[0x20000 + 63] == pattern(163));
}

TEST_CASE("firmware sees read data together with DMA_DONE, not before") {
    // Copies ISR and the data word to 0x1000 and 0x1004 again and again until the data word is there.
    DmaRig rig;
    rig.memory.memory[3] = 1, rig.memory.memory[0] = rig.memory.memory[1] = rig.memory.memory[2] = 0;
    rig.dma_descriptor(CHAIN, LANAI_DMA_READ | LANAI_DMA_END, 8, FakeHost::BASE, 0x10000, 0);
    rig.start({mov_high(7, LANAI_DMA_ENABLE >> 16), st_special(7, LANAI_DMA_CONFIG), mov(7, CHAIN),
               st_special(7, LANAI_DMA0_POINTER), mov_high(7, 0x0100), st_special(7, LANAI_DMA0_COUNT),
               mov_high(9, LANAI_ISR_DMA_DONE(0) >> 16), ld_special(8, LANAI_ISR), test(8, 9), beq(28),
               nop(), // 28
               ld(10, 0x10000), st(10, 0x1000), ld_special(11, LANAI_CPUC), st(11, 0x1004), bt(60), nop()});
    rig.run_for(10 * US);
    CHECK(rig.word(0x1000) == 1);
    // Store at cycle 5 (after 4 started), 6 cycles of fetch, 152 clocks = 1140 ns = 257 cycles, 2 cycles;
    // then a few instructions until CPUC is read.
    const uint32_t cpuc = rig.word(0x1004);
    CHECK(cpuc >= 5 + 6 + 257 + 2);
    CHECK(cpuc <= 5 + 6 + 257 + 2 + 14);
}
