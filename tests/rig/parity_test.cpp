// SPDX-License-Identifier: BSD-3-Clause
//
// An SRAM parity error under the real firmware: it stops, waits for the driver's verdict, and the card comes back.
#include <cerrno>
#include <doctest/doctest.h>

#include "tests/rig/test_endpoint.h"

using namespace myri::rig;
using myri::emulator::Time;

namespace {

uint32_t isr(Rig& rig, unsigned host) {
    return rig.host(host).card().bar_read32(rig.now(), LANAI_BAR0_SPECIAL + LANAI_ISR);
}

uint32_t status(Rig& rig, unsigned host) {
    return rig.host(host).card().bar_read32(rig.now(), FW_GLOBALS + offsetof(fw_globals, status));
}

void ping_pong(Rig& rig, TestEndpoint& a, TestEndpoint& b, int rounds) {
    for (int n = 0; n < rounds; n++) {
        a.post(TestEndpoint::request(b, pattern(1 + n % 40, 1)));
        b.next();
        b.post(TestEndpoint::request(a, pattern(49 + n % 80, 2)));
        a.take_data(a.next());
    }
    (void)rig;
}

} // namespace

TEST_CASE("a bad word that nobody touches changes neither a result nor a time") {
    Time end[2];
    uint64_t cycles[2];
    for (int bad : {0, 1}) {
        Rig rig({.data_access_extra = 1});
        TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
        if (bad)
            for (unsigned host : {0u, 1u})
                rig.host(host).card().inject_parity(rig.now(), FW_SRAM_ENDPOINT_WINDOWS - 4);
        ping_pong(rig, a, b, 100);
        end[bad] = rig.now();
        cycles[bad] = rig.host(0).card().cycles();
        CHECK((isr(rig, 0) & LANAI_ISR_PARITY) == 0);
        rig.check_alive();
    }
    CHECK(end[0] == end[1]);
    CHECK(cycles[0] == cycles[1]);
}

TEST_CASE("the firmware stops at a bad word of data, the driver clears it, and the card comes back with its endpoint") {
    Rig rig;
    TestEndpoint a(rig, 0, 0);
    auto b = std::make_unique<TestEndpoint>(rig, 1, 5);
    ping_pong(rig, a, *b, 3);
    // Where the third message's successor will look: a slot that the firmware polls.
    const uint32_t slot = FW_SRAM_ENDPOINT_WINDOWS + 5 * FW_ENDPOINT_WINDOW_SIZE + 3 * FW_SLOT_SIZE + 252;
    rig.host(1).card().inject_parity(rig.now(), slot);
    const Time begin = rig.now();
    REQUIRE(rig.run_until([&] { return !rig.host(1).stop_reason().empty(); }, milliseconds(1)));
    CHECK(rig.now() - begin < microseconds(5));
    CHECK(status(rig, 1) == FW_STATUS_PARITY);
    CHECK((isr(rig, 1) & (LANAI_ISR_PARITY | LANAI_ISR_REQ_ACK_1)) == (LANAI_ISR_PARITY | LANAI_ISR_REQ_ACK_1));
    board_watchdog watch{};
    CHECK(board_watch(rig.board(1), &watch, 0, 2000) == -EBADMSG);
    CHECK(rig.host(1).stop_reason().find("parity") != std::string::npos);

    // Nobody is held up, and nothing is sent or transferred.
    const Bytes events(b->event_ring().begin(), b->event_ring().end());
    for (int n = 0; n < 100; n++)
        a.post_when_free(TestEndpoint::request(*b, pattern(8, 1)));
    CHECK(a.silent());
    CHECK(std::equal(events.begin(), events.end(), b->event_ring().begin()));

    CHECK(board_parity_judge(rig.board(1)) == 0);
    CHECK((isr(rig, 1) & (LANAI_ISR_PARITY | LANAI_ISR_REQ_ACK_1)) == 0);
    rig.host(1).boot(firmware_image());
    rig.install_peers(1, rig.peers(1));
    const uint32_t session = b->session();
    b.reset();
    TestEndpoint again(rig, 1, 5, {}, session);
    ping_pong(rig, a, again, 40); // also over the place that was bad
    CHECK((isr(rig, 1) & LANAI_ISR_PARITY) == 0);
    rig.check_alive();
}

TEST_CASE("a bad word in the firmware's text or constants makes the card untrustworthy") {
    Rig rig({.hosts = 1});
    const uint32_t end = rig.board(0)->critical_end;
    CHECK(end > 0x3000);
    CHECK(end <= firmware_image().size());
    const uint32_t polled = FW_SRAM_BUFFERS + 0x10004; // the first receive descriptor
    for (uint32_t place : {polled, uint32_t{0}, uint32_t{0x2000}, uint32_t{FW_GLOBALS}, end - 4, end}) {
        CAPTURE(place);
        rig.host(0).set_now(rig.now());
        rig.host(0).boot(firmware_image());
        rig.host(0).card().inject_parity(rig.now(), place);
        rig.host(0).card().inject_parity(rig.now(), polled);
        rig.run_for(milliseconds(1));
        CHECK(status(rig, 0) == FW_STATUS_PARITY);
        CHECK(board_parity_judge(rig.board(0)) == (place < end ? -EIO : 0));
    }
}

TEST_CASE("a stalled processor is found by its heartbeat, and is no parity error") {
    Rig rig({.hosts = 1});
    board_watchdog watch{};
    auto look = [&] {
        return board_watch(rig.board(0), &watch, rig.now() / milliseconds(1), 2000);
    };
    for (int n = 0; n < 6; n++) {
        CHECK(look() == 0);
        rig.run_for(milliseconds(500));
    }
    rig.host(0).card().stall(rig.now());
    for (int n = 0; n < 4; n++) {
        CHECK(look() == 0);
        rig.run_for(milliseconds(500));
    }
    CHECK(look() == -ETIMEDOUT);
    CHECK(board_parity_judge(rig.board(0)) == -EIO);
    rig.host(0).boot(firmware_image());
    watch = {};
    CHECK(look() == 0);
    rig.run_for(milliseconds(3000));
    CHECK(look() == 0);
}
