// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "emulator/nic/chip.h"
#include "tests/nic/rig.h"

using namespace nic_test;

TEST_CASE("core cycles become times without drift") {
    for (uint64_t khz : {225'000u, 333'000u, 1000u}) {
        const ChipClock clock(khz);
        CHECK(clock.time_of(khz * 1000 * 3600) == Time{3600} * 1000 * MS); // an hour
        for (uint64_t cycle : {0ul, 1ul, 2ul, 3ul, 7ul, 224'999ul, 225'000ul, 225'001ul, 123'456'789'012ul}) {
            CHECK(clock.cycle_at(clock.time_of(cycle)) == cycle);
            CHECK(clock.cycle_at(clock.time_of(cycle) + 1) == cycle + 1);
        }
    }
    CHECK(ChipClock(225'000).time_of(9) == 40 * NS);
}

TEST_CASE("RTC counts half microseconds and can be set") {
    Rig rig;
    rig.run_until(10 * US);
    CHECK(rig.special(LANAI_RTC) == 20);
    rig.run_until(10 * US + 499 * NS);
    CHECK(rig.special(LANAI_RTC) == 20);
    rig.set_special(LANAI_RTC, 0xffffffff);
    rig.run_until(10 * US + 500 * NS);
    CHECK(rig.special(LANAI_RTC) == 0);
    rig.run_until(1000 * MS);
    CHECK(rig.special(LANAI_RTC) == 2'000'000 - 21);
}

TEST_CASE("CPUC counts core clocks and can be set") {
    Rig rig;
    rig.run_until(1 * MS);
    CHECK(rig.special(LANAI_CPUC) == 225'000);
    rig.set_special(LANAI_CPUC, 5);
    rig.run_until(2 * MS);
    CHECK(rig.special(LANAI_CPUC) == 225'005);
}

TEST_CASE("an interval timer counts down, sets its bit once when it passes below 0 and goes on") {
    for (unsigned n : {0u, 1u, 2u}) {
        CAPTURE(n);
        Rig rig;
        const uint32_t reg = LANAI_IT0 + 8 * n;
        rig.run_until(100 * US);
        rig.set_special(reg, 10);
        rig.run_until(105 * US);
        CHECK(rig.special(reg) == 0);
        CHECK((rig.isr() & (7u << 17)) == 0);
        rig.run_until(105 * US + 499 * NS);
        CHECK((rig.isr() & (7u << 17)) == 0);
        rig.run_until(105 * US + 500 * NS);
        CHECK((rig.isr() & (7u << 17)) == LANAI_ISR_TIME(n));
        CHECK(rig.special(reg) == 0xffffffff);
        rig.set_special(LANAI_ISR, LANAI_ISR_TIME(n));
        rig.run_until(10 * MS);
        CHECK((rig.isr() & (7u << 17)) == 0);
        CHECK(rig.special(reg) == static_cast<uint32_t>(10 - (20'000 - 200)));
        // Written again, it is armed again, and only with the new value.
        rig.set_special(reg, 4);
        rig.set_special(reg, 100);
        rig.run_for(10 * US);
        CHECK((rig.isr() & (7u << 17)) == 0);
        rig.run_for(41 * US);
        CHECK((rig.isr() & (7u << 17)) == LANAI_ISR_TIME(n));
    }
}

TEST_CASE("a reset disarms the timers") {
    Rig rig;
    rig.set_special(LANAI_IT0, 10);
    rig.control(LANAI_CONTROL_IO_RESET_ON);
    rig.control(LANAI_CONTROL_IO_RESET_OFF);
    rig.run_for(1 * MS);
    CHECK((rig.isr() & (7u << 17)) == 0);
}

TEST_CASE("firmware sees its timer expire at the tick, although it ran ahead in one slice") {
    Rig rig;
    rig.start({mov(6, 9), st_special(6, LANAI_IT1), mov_high(9, LANAI_ISR_TIME(1) >> 16),
               ld_special(8, LANAI_ISR), test(8, 9), beq(12), nop(), // 12
               ld_special(10, LANAI_CPUC), st(10, 0x1000), bt(36), nop()});
    rig.run_for(1 * MS);
    // 10 ticks of 0.5 us = 1125 cycles, then less than two turns of the loop.
    CHECK(rig.word(0x1000) >= 1125);
    CHECK(rig.word(0x1000) <= 1125 + 14);
}
