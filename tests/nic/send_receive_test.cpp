// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

constexpr uint32_t BUFFER0 = 0x20000, BUFFER1 = 0x30000, SOURCE = 0x8000;
// 4 KiB buffers of 64-byte blocks (64 of them), MAX_PACKET 1 KiB, STOP_SIZE 512 B.
constexpr uint32_t CONFIG = LANAI_RPL_ENABLE | LANAI_RPL_BUFFER_SIZE(3) | LANAI_RPL_BLOCK_SIZE(3) |
                            LANAI_RPL_MAX_PACKET(1) | LANAI_RPL_STOP_SIZE(0);
constexpr uint32_t SIZE = 4096;

struct PortRig : Rig {
    PortRig() {
        for (uint32_t i = 0; i < 4096; i++)
            card.sram()[SOURCE + i] = static_cast<uint8_t>(i * 3 + 1);
    }
    uint32_t rpd_pointer(uint32_t buffer, uint32_t i) { return word(buffer + SIZE + 8 * i); }
    uint32_t rpd_flags(uint32_t buffer, uint32_t i) { return word(buffer + SIZE + 8 * i + 4); }
    bool holds(uint32_t at, uint32_t source, uint32_t bytes) {
        const auto sram = card.sram();
        return std::equal(sram.begin() + at, sram.begin() + at + bytes, sram.begin() + source);
    }
};

} // namespace

TEST_CASE("a packet gathered from descriptors arrives without its route, with clean trailers") {
    PortRig rig;
    rig.link.loop = true;
    rig.port_register(LANAI_PORT_SEND_CONFIG, LANAI_CONFIG_ENABLE_CRC32 | LANAI_CONFIG_ENABLE_CRC8);
    rig.port_register(LANAI_PORT_RECV_CONFIG, LANAI_CONFIG_ENABLE_CRC32 | LANAI_CONFIG_ENABLE_CRC8 |
                                                  LANAI_CONFIG_INVALIDATE_CRC8 |
                                                  LANAI_CONFIG_INVALIDATE_CRC32);
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    for (uint32_t i = 0; i < 200; i++)
        rig.card.sram()[BUFFER0 + i] = 0x55;

    rig.send_descriptor(SOURCE, LANAI_SEND_ROUTE | 2);
    CHECK(rig.link.sent.empty());
    rig.send_descriptor(SOURCE + 100, 24);
    rig.send_descriptor(SOURCE + 333, LANAI_SEND_LAST | 77);
    CHECK((rig.special(LANAI_P0_SEND_FREE_COUNT & ~3u) & 0xff) == 13);
    rig.run_for(5 * US);

    REQUIRE(rig.link.sent.size() == 1);
    const Packet& sent = *rig.link.sent[0];
    CHECK((sent.bytes.size() == 103 && sent.route_length == 2 && sent.crc32 && !sent.marked_bad &&
           sent.id != 0));
    CHECK(sent.bytes[0] == 1);
    CHECK(rig.link.sent_at[0] == 17777); // 4 cycles of 4.444 ns after the last descriptor
    CHECK((rig.isr() & LANAI_ISR_P0_SENT) != 0);
    CHECK((rig.isr() & LANAI_ISR_P0_RECEIVED) != 0);
    CHECK((rig.special(LANAI_P0_SEND_COUNT & ~3u) & 0xff) == 1);
    CHECK((rig.special(LANAI_P0_SEND_FREE_COUNT & ~3u) & 0xff) == 16);

    CHECK(rig.rpd_pointer(BUFFER0, 0) == BUFFER0);
    CHECK(rig.rpd_flags(BUFFER0, 0) == 101 + 4 + 1); // 24 + 77, CRC-32, CRC-8; no flag
    CHECK(rig.holds(BUFFER0, SOURCE + 100, 24));
    CHECK(rig.holds(BUFFER0 + 24, SOURCE + 333, 77));
    for (uint32_t i = 101; i < 106; i++)
        CHECK(rig.card.sram()[BUFFER0 + i] == 0);
    CHECK(rig.card.sram()[BUFFER0 + 106] == 0x55);
    CHECK(rig.special(LANAI_P0_RPL_INDEX) == 0x00010000); // index 1, nothing in progress
}

TEST_CASE("queued packets leave without a gap and in order") {
    PortRig rig;
    for (uint32_t i = 0; i < 3; i++) {
        rig.send_descriptor(SOURCE + i, LANAI_SEND_ROUTE | 1);
        rig.send_descriptor(SOURCE + 16 * i, LANAI_SEND_LAST | 40);
    }
    rig.run_for(5 * US);
    REQUIRE(rig.link.sent.size() == 3);
    for (size_t i = 1; i < 3; i++) {
        CHECK(rig.link.sent_at[i] - rig.link.sent_at[i - 1] == 42 * 4000);
        CHECK(rig.link.sent[i]->id > rig.link.sent[i - 1]->id);
        CHECK(rig.link.sent[i]->bytes[1] == static_cast<uint8_t>(48 * i + 1));
    }
    CHECK((rig.special(LANAI_P0_SEND_COUNT & ~3u) & 0xff) == 3);
}

TEST_CASE("each packet starts on a block; the last one that surely fits closes the buffer") {
    PortRig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    CHECK((rig.isr() & LANAI_ISR_P0_NO_BACKUP) != 0);
    rig.set_special(LANAI_P0_RB, BUFFER1);
    CHECK((rig.isr() & LANAI_ISR_P0_NO_BACKUP) == 0);
    // 1000 bytes with CRC-8: 1001, 16 blocks. After three, 16 blocks are left, exactly MAX_PACKET: a fourth
    // fits.
    for (uint8_t i = 0; i < 5; i++)
        rig.link.deliver((1 + i * 5) * US, packet_of(1000, i));
    rig.run_until(30 * US);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(rig.rpd_pointer(BUFFER0, i) == BUFFER0 + 1024 * i);
        CHECK(rig.rpd_flags(BUFFER0, i) == (1001 | (i == 3 ? LANAI_RPD_LAST : 0)));
        CHECK(rig.card.sram()[BUFFER0 + 1024 * i] == i);
    }
    CHECK(rig.rpd_flags(BUFFER0, 4) == 0);
    CHECK(rig.rpd_pointer(BUFFER1, 0) == BUFFER1);
    CHECK(rig.rpd_flags(BUFFER1, 0) == 1001);
    CHECK((rig.isr() & LANAI_ISR_P0_NO_BACKUP) != 0);
    CHECK(rig.special(LANAI_P0_RB) == (0x80000000 | BUFFER0));
    rig.set_special(LANAI_P0_RB, BUFFER0);
    CHECK(rig.special(LANAI_P0_RB) == BUFFER1);
    CHECK((rig.special(LANAI_P0_RPL_INDEX) >> 16) == 1);
}

TEST_CASE("descriptor and bytes appear some cycles after the tail") {
    PortRig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.link.deliver(1 * US, packet_of(99));
    rig.run_until(1 * US + 200 * NS);
    CHECK((rig.special(LANAI_P0_RPL_INDEX) & 0xffff) == 51); // 200 ns at 4 ns a byte, and the first
    rig.run_until(1 * US + 400 * NS);                        // the tail
    CHECK((rig.isr() & LANAI_ISR_P0_RECEIVED) == 0);
    CHECK(rig.rpd_flags(BUFFER0, 0) == 0);
    rig.run_until(1 * US + 400 * NS + 5 * 4445);
    CHECK((rig.isr() & LANAI_ISR_P0_RECEIVED) != 0);
    CHECK(rig.rpd_flags(BUFFER0, 0) == 100);
}

TEST_CASE("PACKET_HEAD follows the header of a packet in progress") {
    PortRig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG | LANAI_RPL_HEADER_LENGTH(32));
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.link.deliver(1 * US, packet_of(999, 9));
    rig.run_until(1 * US + 127 * NS);
    CHECK((rig.isr() & LANAI_ISR_P0_HEAD) == 0);
    rig.run_until(1 * US + 129 * NS);
    CHECK((rig.isr() & LANAI_ISR_P0_HEAD) != 0);
    CHECK(rig.card.sram()[BUFFER0] == 9);
    CHECK(rig.rpd_flags(BUFFER0, 0) == 0);
    rig.run_until(10 * US);
    CHECK((rig.isr() & LANAI_ISR_P0_HEAD) == 0);
    CHECK(rig.rpd_flags(BUFFER0, 0) == 1000);
}

TEST_CASE("damaged packets are delivered with their residues, and invalid if the check is selected") {
    struct Row {
        bool crc8_bad, crc32_bad, marked;
        uint32_t config, flags;
    };
    constexpr uint32_t C8 = LANAI_CONFIG_ENABLE_CRC8 | LANAI_CONFIG_INVALIDATE_CRC8,
                       C32 = LANAI_CONFIG_ENABLE_CRC32 | LANAI_CONFIG_INVALIDATE_CRC32, MARK = 0x200;
    for (const Row& row : {Row{true, false, false, C8, LANAI_RPD_INVALID},
                           {true, false, false, C32, 0},
                           {false, true, false, C8, 0},
                           {false, true, false, C8 | C32, LANAI_RPD_INVALID},
                           {true, true, false, LANAI_CONFIG_ENABLE_CRC8 | LANAI_CONFIG_ENABLE_CRC32, 0},
                           {false, false, true, C8 | C32, LANAI_RPD_MARKED_BAD},
                           {false, false, true, MARK, LANAI_RPD_MARKED_BAD | LANAI_RPD_INVALID},
                           {false, false, false, C8 | C32 | MARK, 0}}) {
        CAPTURE(row.config);
        PortRig rig;
        rig.port_register(LANAI_PORT_RECV_CONFIG, row.config);
        rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
        rig.set_special(LANAI_P0_RB, BUFFER0);
        auto packet = packet_of(60, 0, true);
        packet->crc8_bad = row.crc8_bad;
        packet->crc32_bad = row.crc32_bad;
        packet->marked_bad = row.marked;
        rig.link.deliver(1 * US, packet);
        rig.run_until(3 * US);
        CHECK(rig.rpd_flags(BUFFER0, 0) == (row.flags | 65));
        const auto trailer = rig.card.sram().subspan(BUFFER0 + 60, 5);
        CHECK((trailer[4] != 0) == row.crc8_bad);
        CHECK((trailer[0] || trailer[1] || trailer[2] || trailer[3]) == row.crc32_bad);
    }
}

TEST_CASE("a packet without CRC-32 is invalid where the check is selected") {
    PortRig rig;
    rig.port_register(LANAI_PORT_RECV_CONFIG, LANAI_CONFIG_ENABLE_CRC32 | LANAI_CONFIG_INVALIDATE_CRC32);
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.link.deliver(1 * US, packet_of(60));
    rig.run_until(3 * US);
    CHECK(rig.rpd_flags(BUFFER0, 0) == (LANAI_RPD_INVALID | 61));
}

TEST_CASE("a packet with an unstripped route is delivered, one longer than MAX_PACKET is cut and invalid") {
    PortRig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
    rig.set_special(LANAI_P0_RB, BUFFER0);
    rig.link.deliver(1 * US, packet_of(20, 0x81));
    rig.link.deliver(2 * US, packet_of(1024, 0));
    rig.run_until(20 * US);
    CHECK(rig.rpd_flags(BUFFER0, 0) == 21);
    CHECK(rig.card.sram()[BUFFER0] == 0x81);
    CHECK(rig.rpd_pointer(BUFFER0, 1) == BUFFER0 + 64);
    CHECK(rig.rpd_flags(BUFFER0, 1) == (LANAI_RPD_INVALID | 1024));
}

TEST_CASE("SEND_READY compares free places with the limit, INVALIDATE marks the packet") {
    PortRig rig;
    rig.set_special(LANAI_P0_SEND_FREE_LIMIT & ~3u, 15);
    CHECK((rig.isr() & LANAI_ISR_P0_SEND_READY) != 0);
    rig.send_descriptor(SOURCE, LANAI_SEND_ROUTE | 1);
    CHECK((rig.isr() & LANAI_ISR_P0_SEND_READY) != 0);
    rig.send_descriptor(SOURCE, LANAI_SEND_LAST | LANAI_SEND_INVALIDATE | 8);
    CHECK((rig.isr() & LANAI_ISR_P0_SEND_READY) == 0);
    rig.run_for(5 * US);
    CHECK((rig.isr() & LANAI_ISR_P0_SEND_READY) != 0);
    CHECK(rig.link.sent.at(0)->marked_bad);
}

TEST_CASE("descriptors that cannot be taken set MEMORY") {
    PortRig rig;
    SUBCASE("queue full") {
        for (uint32_t i = 0; i < LANAI_SEND_QUEUE; i++)
            rig.send_descriptor(SOURCE, 4);
        CHECK((rig.isr() & LANAI_ISR_MEMORY) == 0);
        rig.send_descriptor(SOURCE, LANAI_SEND_LAST | 4);
        rig.run_for(5 * US);
        CHECK(rig.link.sent.empty());
    }
    SUBCASE("outside SRAM") {
        rig.send_descriptor((2u << 20) - 3, LANAI_SEND_LAST | 4);
        rig.run_for(5 * US);
        CHECK(rig.link.sent.at(0)->marked_bad);
    }
    SUBCASE("third receive buffer") {
        rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
        for (uint32_t buffer : {BUFFER0, BUFFER1})
            rig.set_special(LANAI_P0_RB, buffer);
        CHECK((rig.isr() & LANAI_ISR_MEMORY) == 0);
        rig.set_special(LANAI_P0_RB, 0x40000);
    }
    SUBCASE("receive buffer whose list ends behind SRAM") {
        rig.set_special(LANAI_P0_RPL_CONFIG, CONFIG);
        rig.set_special(LANAI_P0_RB, (2u << 20) - SIZE - 64 * 8 + 8);
    }
    CHECK((rig.isr() & LANAI_ISR_MEMORY) != 0);
}

TEST_CASE("SEND_CONTROL holds packets back and flushes them") {
    PortRig rig;
    rig.set_special(LANAI_P0_SEND_CONTROL & ~3u, 1);
    rig.send_descriptor(SOURCE, LANAI_SEND_LAST | 4);
    rig.run_for(5 * US);
    CHECK(rig.link.sent.empty());
    rig.set_special(LANAI_P0_SEND_CONTROL & ~3u, 0);
    rig.run_for(5 * US);
    CHECK(rig.link.sent.size() == 1);
    rig.set_special(LANAI_P0_SEND_CONTROL & ~3u, 2);
    rig.send_descriptor(SOURCE, LANAI_SEND_LAST | 4);
    rig.set_special(LANAI_P0_SEND_CONTROL & ~3u, 3);
    rig.set_special(LANAI_P0_SEND_CONTROL & ~3u, 0);
    rig.run_for(5 * US);
    CHECK(rig.link.sent.size() == 1);
}

TEST_CASE("firmware on the card sends a packet and receives it") {
    PortRig rig;
    rig.link.loop = true;
    rig.start({mov_high(6, CONFIG >> 16),
               0x53180000 | (CONFIG & 0xffff), // r6 |= low half
               st_special(6, LANAI_P0_RPL_CONFIG),
               mov(7, BUFFER0),
               st_special(7, LANAI_P0_RB),
               mov(7, SOURCE),
               st_special(7, LANAI_P0_SEND),
               mov_high(7, LANAI_SEND_LAST >> 16),
               add(7, 7, 64),
               st_special(7, LANAI_P0_SEND),
               mov(9, LANAI_ISR_P0_RECEIVED),
               ld_special(8, LANAI_ISR),
               test(8, 9),
               beq(44),
               nop(), // 44
               st_special(9, LANAI_ISR),
               ld(10, BUFFER0 + SIZE + 4),
               st(10, 0x1000),
               bt(72),
               nop()});
    rig.run_for(10 * US);
    REQUIRE(!rig.card.trapped());
    CHECK(rig.word(0x1000) == 65);
    CHECK((rig.isr() & LANAI_ISR_P0_RECEIVED) == 0); // the firmware cleared it
    CHECK(rig.holds(BUFFER0, SOURCE, 64));
}
