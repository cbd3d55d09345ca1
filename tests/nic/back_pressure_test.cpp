// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

constexpr uint32_t BUFFER0 = 0x20000, BUFFER1 = 0x30000;
// 4 KiB buffers of 64-byte blocks, MAX_PACKET 1 KiB, STOP_SIZE 2 KiB.
constexpr uint32_t CONFIG = LANAI_RPL_ENABLE | LANAI_RPL_BUFFER_SIZE(3) | LANAI_RPL_BLOCK_SIZE(3) |
                            LANAI_RPL_MAX_PACKET(1) | LANAI_RPL_STOP_SIZE(2);

} // namespace

TEST_CASE("STOP goes out while free space is below STOP_SIZE or no buffer is posted, GO otherwise") {
    Rig rig;
    CHECK(rig.link.stops.empty());
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    CHECK(rig.link.stopping()); // no buffer
    rig.set_special(LANAI_P0_RB, BUFFER0);
    CHECK_FALSE(rig.link.stopping());
    // 1 KiB each. After two 2048 bytes are free: not below. After three 1024: below.
    for (unsigned i = 0; i < 3; i++)
        rig.link.deliver((1 + 5 * i) * US, packet_of(1000));
    rig.run_until(10 * US);
    CHECK_FALSE(rig.link.stopping());
    rig.run_until(20 * US);
    CHECK(rig.link.stopping());
    CHECK(rig.link.stops.back().first == 11 * US); // with the head of the third
    rig.set_special(LANAI_P0_RB, BUFFER1);
    CHECK_FALSE(rig.link.stopping());
    rig.set_special(LANAI_P0_RPL_CONFIG, 0); // a disabled port stops nobody
    CHECK_FALSE(rig.link.stopping());
    CHECK(rig.link.stops.size() == 4);
}

TEST_CASE("packets that find no buffer wait in order until one is posted") {
    Rig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.link.deliver(1 * US, packet_of(30, 10));
    rig.link.deliver(2 * US, packet_of(30, 20));
    rig.link.deliver(49 * US, packet_of(999, 30)); // still coming in when the buffer is posted
    rig.run_until(50 * US);
    CHECK((rig.isr() & LANAI_ISR_P0_RECEIVED) == 0);
    CHECK(rig.special(LANAI_P0_BUFFER_DROP & ~3u) == 0);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.run_for(1 * US);
    CHECK(rig.word(BUFFER0 + 4096 + 4) == 31);
    CHECK(rig.word(BUFFER0 + 4096 + 12) == 31);
    CHECK(rig.word(BUFFER0 + 4096 + 20) == 0);
    CHECK(rig.card.sram()[BUFFER0] == 10);
    CHECK(rig.card.sram()[BUFFER0 + 64] == 20);
    rig.run_until(60 * US);
    CHECK(rig.word(BUFFER0 + 4096 + 20) == 1000);
    CHECK(rig.card.sram()[BUFFER0 + 128] == 30);
}

TEST_CASE("with BUFFER_DROP a packet without a buffer is dropped and counted, and nobody is stopped") {
    Rig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG | LANAI_RPL_BUFFER_DROP);
    rig.link.deliver(1 * US, packet_of(30, 10));
    rig.link.deliver(2 * US, packet_of(30, 20));
    rig.run_until(3 * US);
    CHECK(rig.special(LANAI_P0_BUFFER_DROP & ~3u) == 2);
    CHECK(rig.link.stops.empty());
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.link.deliver(4 * US, packet_of(40, 30));
    rig.run_until(5 * US);
    CHECK(rig.word(BUFFER0 + 4096 + 4) == 41);
    CHECK(rig.card.sram()[BUFFER0] == 30);
    CHECK(rig.special(LANAI_P0_BUFFER_DROP & ~3u) == 2);
}

TEST_CASE("a disabled port, as on a parked card, drops what comes") {
    Rig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.link.deliver(1 * US, packet_of(999)); // its tail comes after the reset
    rig.run_until(2 * US);
    rig.control(LANAI_CONTROL_CPU_RESET_ON);
    rig.control(LANAI_CONTROL_IO_RESET_ON);
    rig.link.deliver(10 * US, packet_of(30));
    rig.run_until(20 * MS);
    rig.control(LANAI_CONTROL_IO_RESET_OFF);
    rig.link.deliver(21 * MS, packet_of(30));
    rig.run_until(22 * MS);
    CHECK(rig.word(BUFFER0 + 4096 + 4) == 0);
    CHECK((rig.isr() & LANAI_ISR_P0_RECEIVED) == 0);
    CHECK(rig.special(LANAI_P0_BUFFER_DROP & ~3u) == 0);
    CHECK_FALSE(rig.link.stopping());
    // And it receives again once it is set up again.
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.link.deliver(23 * MS, packet_of(30));
    rig.run_until(24 * MS);
    CHECK(rig.word(BUFFER0 + 4096 + 4) == 31);
}

TEST_CASE("a card whose peer stops it starts no packet until it may go on") {
    Rig rig;
    rig.scheduler.at(1 * US, FABRIC_RANK, [&](Time t) { rig.link.client->stop_changed(t, true); });
    rig.run_until(2 * US);
    rig.send_descriptor(0x8000, LANAI_SEND_LAST | 16);
    rig.run_until(10 * US);
    CHECK(rig.link.sent.empty());
    CHECK(rig.special(LANAI_AISR) == (LANAI_AISR_MYRI_STOP | LANAI_AISR_SEND_STOPPED | LANAI_AISR_MYRI_BEAT |
                                      LANAI_AISR_NO_BACKUP | LANAI_AISR_NO_BUFFER));
    rig.scheduler.at(11 * US, FABRIC_RANK, [&](Time t) { rig.link.client->stop_changed(t, false); });
    rig.run_until(12 * US);
    REQUIRE(rig.link.sent_at.size() == 1);
    CHECK(rig.link.sent_at[0] == 11 * US);
}
