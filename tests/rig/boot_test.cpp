// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <doctest/doctest.h>

#include "tests/rig/test_endpoint.h"

using namespace myri::rig;

TEST_CASE("the real firmware boots by the original driver's steps on each card") {
    for (const char* card : {"M3F-PCIXD-2", "M3F2-PCIXE-2", "M3F-PCIXF-2"}) {
        CAPTURE(card);
        Rig rig({.hosts = 2, .card = card});
        board* b = rig.board(1);
        CHECK(b->sram_size == 2u << 20);
        CHECK(b->eeprom.mac == Rig::mac(1));
        CHECK(b->eeprom.serial == 1001);
        CHECK(b->endpoint_windows == FW_SRAM_ENDPOINT_WINDOWS);
        CHECK(std::string(b->firmware_version).find("libmyri") == 0);
        // Two hosts, four waits of 20 ms each, and no more than a few ms of firmware.
        CHECK(rig.now() >= milliseconds(160));
        CHECK(rig.now() < milliseconds(170));
        rig.check_alive();
    }
}

TEST_CASE("the heartbeat beats every 100 ms, and in between an unused card rests") {
    Rig rig({.hosts = 1});
    const uint32_t before = board_heartbeat(rig.board(0));
    rig.run_for(milliseconds(1000));
    const uint32_t beats = board_heartbeat(rig.board(0)) - before;
    CHECK(beats >= 9);
    CHECK(beats <= 11);
    CHECK(rig.host(0).card().idle());
}

TEST_CASE("a card is booted again from any state") {
    Rig rig({.hosts = 2});
    auto a = std::make_unique<TestEndpoint>(rig, 0, 3);
    TestEndpoint b(rig, 1, 0);
    a->post(TestEndpoint::request(b, pattern(40, 1)));
    rig.host(0).set_now(rig.now());
    rig.host(0).boot(firmware_image());
    rig.install_peers(0, rig.peers(0));
    a.reset();
    TestEndpoint again(rig, 0, 3);
    again.post(TestEndpoint::request(b, pattern(30, 2)));
    fw_event event = b.next();
    if (inline_body(event).size() == 40) // the one from before the reset had left already
        event = b.next();
    CHECK(inline_body(event) == pattern(30, 2));
    rig.check_alive();
}

TEST_CASE("a damaged image is refused with the reason, and the card then takes a good one") {
    Rig rig({.hosts = 1, .boot = false});
    Bytes image = firmware_image();
    image[FW_GLOBALS] ^= 0xff;
    CHECK_THROWS_WITH_AS(rig.host(0).boot(image), doctest::Contains("not a firmware image"),
                         std::runtime_error);
    image = firmware_image();
    std::fill_n(image.begin(), 0x1000, uint8_t{0xff}); // no code: no instruction
    CHECK_THROWS_AS(rig.host(0).boot(image), std::runtime_error);
    rig.host(0).boot(firmware_image());
    CHECK(rig.command(0, FW_COMMAND_PEERS, {0}) == 0);
}

TEST_CASE("commands are answered in order, wrong ones with an error") {
    Rig rig({.hosts = 1});
    std::vector<int> results;
    auto keep = [&](myri::emulator::Time, int result, uint32_t) { results.push_back(result); };
    EmulatedHost& host = rig.host(0);
    host.command(rig.now(), FW_COMMAND_PEERS, {FW_PEERS + 1}, keep);
    host.command(rig.now(), FW_COMMAND_PEERS, {1}, keep);
    host.command(rig.now(), 99, {}, keep);
    host.command(rig.now(), FW_COMMAND_OPEN, {FW_ENDPOINTS}, keep);
    host.command(rig.now(), FW_COMMAND_CLOSE, {FW_ENDPOINTS}, keep);
    host.command(rig.now(), FW_COMMAND_RETIRE_WINDOW, {0, FW_WINDOWS}, keep);
    host.command(rig.now(), FW_COMMAND_RETIRE_WINDOW, {0, 0}, keep);
    host.command(rig.now(), FW_COMMAND_CLOSE, {0}, keep);
    CHECK(rig.run_until([&] { return results.size() == 8; }, milliseconds(10)));
    CHECK(results == std::vector<int>{-EINVAL, 0, -EOPNOTSUPP, -EINVAL, -EINVAL, -EINVAL, 0, 0});
}

TEST_CASE("a run repeats to the picosecond, and skipping idle passes changes nothing") {
    std::vector<myri::emulator::Time> first;
    for (int run = 0; run < 3; run++) {
        CAPTURE(run);
        Rig rig({.hosts = 3});
        TestEndpoint a(rig, 0, 0), b(rig, 1, 1), c(rig, 2, 2);
        c.auto_publish = false; // the test's own time is not the same when idle cards are run through
        rig.run_for(milliseconds(300) - rig.now());
        for (unsigned n = 0; n < 3; n++)
            rig.host(n).card().set_idle_skipping(run != 2);
        // Both stores are on the bus at given times, at distances that meet every phase of the idle loop.
        for (uint32_t n = 0; n < 30; n++) {
            const auto when = milliseconds(301) + n * nanoseconds(20'003);
            a.writer.post(when, TestEndpoint::request(c, pattern(40, n)));
            b.writer.post(when, TestEndpoint::request(c, pattern(1 + n % 40, n)));
        }
        std::vector<myri::emulator::Time> times;
        for (uint32_t n = 0; n < 60; n++) {
            c.next();
            times.push_back(rig.scheduler().now());
        }
        if (run == 0)
            first = times;
        for (size_t n = 0; n < times.size(); n++) {
            CAPTURE(n);
            CHECK(times[n] == first[n]);
        }
    }
}

TEST_CASE("memory that is gone from the bus stops the firmware with a DMA error, and a command says so") {
    Rig rig;
    auto a = std::make_unique<TestEndpoint>(rig, 0, 0);
    TestEndpoint b(rig, 1, 0);
    const SlotRequest to_a = TestEndpoint::request(*a, pattern(8, 1));
    a.reset(); // without FW_COMMAND_CLOSE, as no driver may do it
    b.post(to_a);
    rig.run_for(milliseconds(1));
    CHECK(rig.command(0, FW_COMMAND_PEERS, {2}) == -EIO);
    CHECK_THROWS_WITH_AS(rig.check_alive(), doctest::Contains("status 3, error 2"), std::runtime_error);
    rig.host(0).set_now(rig.now());
    rig.host(0).boot(firmware_image());
    rig.install_peers(0, rig.peers(0));
    rig.check_alive();
}
