// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

constexpr uint32_t REQUESTS = LANAI_ISR_REQ_ACK_0 | LANAI_ISR_REQ_ACK_1;

} // namespace

TEST_CASE("the LANai's store sets REQ_ACK bits, the host's store clears them") {
    Rig rig;
    rig.set_special(LANAI_ISR, REQUESTS);
    CHECK((rig.isr() & REQUESTS) == 0);
    rig.start({mov_high(6, REQUESTS >> 16), st_special(6, LANAI_ISR), bt(8), nop()});
    rig.run_for(1 * US);
    CHECK((rig.isr() & REQUESTS) == REQUESTS);
    rig.set_special(LANAI_ISR, LANAI_ISR_REQ_ACK_1);
    CHECK((rig.isr() & REQUESTS) == LANAI_ISR_REQ_ACK_0);
}

TEST_CASE("the interrupt line is REQ_ACK_0 while PCI interrupts are enabled") {
    Rig rig;
    std::vector<bool> line;
    rig.card.set_interrupt_handler([&](Time, bool level) { line.push_back(level); });
    rig.start({mov_high(6, REQUESTS >> 16), st_special(6, LANAI_ISR), bt(8), nop()});
    rig.run_for(1 * US);
    CHECK(line.empty()); // disabled after power-on
    rig.control(LANAI_CONTROL_PCI_INTERRUPT_ENABLE);
    CHECK(line == std::vector<bool>{true});
    rig.control(LANAI_CONTROL_PCI_INTERRUPT_DISABLE);
    CHECK(line == std::vector<bool>{true, false});
    rig.control(LANAI_CONTROL_PCI_INTERRUPT_ENABLE);
    rig.set_special(LANAI_ISR, LANAI_ISR_REQ_ACK_1);
    CHECK(line == std::vector<bool>{true, false, true});
    rig.control(LANAI_CONTROL_IO_RESET_ON);
    CHECK(line == std::vector<bool>{true, false, true, false});
}

TEST_CASE("a latched bit is cleared by either side's one, a level bit by nobody") {
    Rig rig;
    rig.set_special(LANAI_P0_RPL_CONFIG, LANAI_RPL_ENABLE);
    rig.send_descriptor(0x8000, LANAI_SEND_LAST | 8);
    rig.run_for(1 * US);
    constexpr uint32_t LEVELS = LANAI_ISR_P0_NO_BACKUP | LANAI_ISR_P0_LINK_READY | LANAI_ISR_P0_SEND_READY;
    CHECK(rig.isr() == (LANAI_ISR_P0_SENT | LEVELS));
    rig.set_special(LANAI_ISR, LANAI_ISR_P0_RECEIVED);
    CHECK(rig.isr() == (LANAI_ISR_P0_SENT | LEVELS));
    rig.set_special(LANAI_ISR, ~0u);
    CHECK(rig.isr() == LEVELS);

    rig.send_descriptor(0x8000, LANAI_SEND_LAST | 8);
    rig.run_for(1 * US);
    CHECK(rig.isr() == (LANAI_ISR_P0_SENT | LEVELS));
    rig.start({mov(6, LANAI_ISR_P0_SENT), st_special(6, LANAI_ISR), bt(8), nop()});
    rig.run_for(1 * US);
    CHECK(rig.isr() == LEVELS);
}

TEST_CASE("P0_EVENT shows the AISR bits that AISR_ON selects") {
    Rig rig;
    CHECK((rig.isr() & LANAI_ISR_P0_EVENT) == 0);
    rig.set_special(LANAI_AISR_ON, LANAI_AISR_MYRI_NO_BEAT);
    CHECK((rig.isr() & LANAI_ISR_P0_EVENT) == 0);
    rig.scheduler.at(1 * US, FABRIC_RANK, [&](Time t) { rig.link.client->link_changed(t, false); });
    rig.run_until(2 * US);
    CHECK((rig.isr() & LANAI_ISR_P0_EVENT) != 0);
    CHECK((rig.isr() & LANAI_ISR_P0_LINK_READY) == 0);
}

TEST_CASE("registers of 8 and 16 bits answer in their own byte lanes") {
    Rig rig;
    rig.set_special(LANAI_PORT_ADDR, 0x12345678);
    CHECK(rig.special(LANAI_PORT_ADDR) == 0x12340000);
    rig.set_special(LANAI_P0_SEND_COUNT & ~3u, 0xffffff07);
    CHECK(rig.special(LANAI_P0_SEND_COUNT & ~3u) == 7);
    // The processor's byte and half-word accesses reach the same lanes: r6 = byte at 0xfffffc5b, then
    // 0xfffffc70.
    rig.start({mov_high(7, 0xffff), 0x539cfc00, // r7 = 0xfffffc00
               0xf31f585b,                      // uld.b 0x5b[%r7],%r6
               st(6, 0x1000),
               0xf31f1870,                           // uld.h 0x70[%r7],%r6
               st(6, 0x1004), mov(6, 9), 0xf31f685b, // st.b %r6,0x5b[%r7]
               bt(32), nop()});
    rig.run_for(1 * US);
    REQUIRE_MESSAGE(!rig.card.trapped(), rig.card.trap_reason());
    CHECK(rig.word(0x1000) == 7);
    CHECK(rig.word(0x1004) == 0x1234);
    CHECK(rig.special(LANAI_P0_SEND_COUNT & ~3u) == 9);
}
