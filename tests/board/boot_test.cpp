// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

using Strings = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool touched(const FakeCard& card, const std::string& entry) {
    for (const std::string& t : card.trace)
        if (t == entry)
            return true;
    return false;
}

size_t field(size_t offset) {
    return offset;
}

} // namespace

#define GLOBAL(name) field(offsetof(fw_globals, name))

// Control words by hand from the one-hot table: 31/30 CPU reset on/off, 29/28 I/O reset on/off, 27/26
// interrupts.
TEST_CASE("a card is booted by exactly the original driver's steps, in their order") {
    FakeCard card;
    card.isr = 1u << 28; // a REQ_ACK_0 left from before
    REQUIRE(card.boot(good_image()) == 0);
    const Strings expected{
        "master off",
        "control 20000000",
        "control 80000000",
        "wait 20",
        "control 10000000",
        "wait 20",
        "read ISR", // no parity error: nothing to clear
        "read DMA_CONFIG",
        "read 1fff00..200000",
        "read ISR",
        "zero 0..1fff00",
        "wait 20",
        "copy 0..2000",
        "wait 20",
        "read ISR",
        "write ISR 10000000", // or an interrupt storm could follow
        "control 04000000",
        "control 40000000",
        "control 08000000",
        "read ISR",
        "read 1008..100c",
        "wait 1",
        "read ISR",
        "read 1008..100c", // status LOAD, then INIT
        "read 1000..1008", // magic, ABI version
        "read 1024..1028",
        "read 1010..1024",
        "read 1028..102c", // tables and idle loop
        "read 1044..1048", // end of text and constants
        "read 1060..1090",
        "read 10b0..10b4", // version text, mailbox
        "master on",
        "write 1034..1044",
        "write 1030..1034", // parameters, then params_ready
        "read ISR",
        "read 1008..100c",
        "wait 1",
        "read ISR",
        "read 1008..100c", // INIT, then RUN
    };
    CHECK(card.trace == expected);
}

TEST_CASE("a booted card has its parameters, and the board knows what the card said") {
    FakeCard card;
    REQUIRE(card.boot(good_image()) == 0);
    CHECK(card.global(GLOBAL(mac_high)) == 0x0060);
    CHECK(card.global(GLOBAL(mac_low)) == 0xdd49081f);
    CHECK(card.global(GLOBAL(sram_size)) == 0x1fff00);
    CHECK(card.global(GLOBAL(core_khz)) == 225000);
    CHECK(card.global(GLOBAL(params_ready)) == 1);
    CHECK(card.bus_master);
    CHECK(card.interrupts);
    CHECK(card.board.sram_size == FAKE_SRAM);
    CHECK(card.board.eeprom.serial == 186714);
    CHECK(card.board.endpoints == 0x20000);
    CHECK(card.board.peers == 0x40000);
    CHECK(card.board.idle_loop == 0x400);
    CHECK(std::string(card.board.firmware_version) == "fake 1");
    CHECK(card.log.empty());
}

TEST_CASE("a parity error of never-written SRAM is cleared, one while reading the EEPROM is an error") {
    FakeCard card;
    card.isr = LANAI_ISR_PARITY;
    CHECK(card.boot(good_image()) == 0);
    CHECK(touched(card, "write ISR 00100000"));

    FakeCard bad;
    bad.parity_at = FAKE_SRAM - 4;
    CHECK(bad.boot(good_image()) == -EIO);
    CHECK(contains(bad.said(), "parity"));
    CHECK_FALSE(touched(bad, "control 40000000"));
}

TEST_CASE("a wrong image is refused before the card is touched") {
    auto refused = [](const std::vector<uint8_t>& image, int status, const char* why) {
        FakeCard card;
        CHECK(card.boot(image) == status);
        CHECK(card.trace.empty());
        CHECK(contains(card.said(), why));
    };
    refused({}, -EINVAL, "0 bytes");
    refused(std::vector<uint8_t>(FW_GLOBALS + sizeof(fw_globals) - 1), -EINVAL, "4287 bytes");
    refused(std::vector<uint8_t>(FW_SRAM_ENDPOINT_WINDOWS + 1), -EINVAL, "1048577 bytes");
    std::vector<uint8_t> image = good_image();
    image[FW_GLOBALS] ^= 1;
    refused(image, -EINVAL, "0x6c797269");
    image = good_image();
    image[FW_GLOBALS + 7] = FW_ABI_VERSION + 1;
    refused(image, -EPROTO, "ABI version 4");
    image = good_image();
    image[FW_GLOBALS + offsetof(fw_globals, status) + 3] = FW_STATUS_INIT;
    refused(image, -EINVAL, "has run before");
}

TEST_CASE("an image of the largest size is loaded") {
    std::vector<uint8_t> image = good_image();
    image.resize(FW_SRAM_ENDPOINT_WINDOWS, 0x77);
    FakeCard card;
    CHECK(card.boot(image) == 0);
    CHECK(card.sram[FW_SRAM_ENDPOINT_WINDOWS - 1] == 0x77);
    CHECK(card.sram[FW_SRAM_ENDPOINT_WINDOWS] == 0);
}

TEST_CASE("a card with an impossible SRAM size or without EEPROM strings is refused before it is loaded") {
    for (uint32_t size : {0u, 0x180000u, 0x0ffffc00u, 0xffffffffu}) {
        FakeCard card;
        card.dma_config = size;
        CHECK(card.boot(good_image()) == -EINVAL);
        CHECK(contains(card.said(), "bytes of SRAM"));
    }
    FakeCard card;
    card.eeprom = std::string("MAC=0:60:dd:1:2:3\0PC=x\0", 24);
    card.eeprom.resize(LANAI_EEPROM_SIZE, '\0');
    CHECK(card.boot(good_image()) == -EINVAL);
    CHECK(contains(card.said(), "no PN="));
    CHECK_FALSE(touched(card, "zero 0..1fff00"));
}

TEST_CASE("flag bits of DMA_CONFIG do not count as SRAM size") {
    FakeCard card;
    card.dma_config = 0x80000000u | FAKE_SRAM | 0x3ff;
    CHECK(card.boot(good_image()) == 0);
    CHECK(card.board.sram_size == FAKE_SRAM);
}

TEST_CASE("firmware that does not come up is an error, and the card is left frozen") {
    int status = -ETIMEDOUT;
    const char* why = "";
    FakeCard card;
    SUBCASE("it never reaches INIT") {
        card.firmware = nullptr;
        why = "still 0 after 1000 ms";
    }
    SUBCASE("it never reaches RUN") {
        card.firmware = [&] {
            if (card.global(GLOBAL(status)) == FW_STATUS_LOAD)
                good_firmware(card);
        };
        why = "still 1 after 1000 ms";
    }
    SUBCASE("it stops with an error") {
        card.firmware = [&] {
            card.set_global(GLOBAL(error), FW_ERROR_MEMORY);
            card.set_global(GLOBAL(status), FW_STATUS_ERROR);
        };
        status = -EIO;
        why = "error 3";
    }
    SUBCASE("it reports a parity error") {
        card.firmware = [&] { card.set_global(GLOBAL(status), FW_STATUS_PARITY); };
        status = -EIO;
        why = "parity";
    }
    SUBCASE("the chip reports a parity error") {
        card.firmware = [&] { card.isr |= LANAI_ISR_PARITY; };
        status = -EIO;
        why = "parity";
    }
    SUBCASE("its status is nonsense") {
        card.firmware = [&] { card.set_global(GLOBAL(status), 77); };
        status = -EIO;
        why = "status is 77";
    }
    SUBCASE("it runs without waiting for parameters") {
        card.firmware = [&] { card.set_global(GLOBAL(status), FW_STATUS_RUN); };
        status = -EIO;
        why = "status is 2 instead of 0 or 1";
    }
    SUBCASE("it shows another ABI than its image") {
        card.firmware = [&] {
            good_firmware(card);
            card.set_global(GLOBAL(abi_version), 9);
        };
        status = -EPROTO;
        why = "ABI version 9";
    }
    SUBCASE("it lost its magic") {
        card.firmware = [&] {
            good_firmware(card);
            card.set_global(GLOBAL(magic), 9);
        };
        status = -EIO;
        why = "magic";
    }
    CHECK(card.boot(good_image()) == status);
    CHECK(contains(card.said(), why));
    CHECK_FALSE(card.cpu_running);
    CHECK_FALSE(card.bus_master);
}

TEST_CASE("firmware whose tables are not in SRAM, misaligned or overlap is refused") {
    struct Case {
        size_t where;
        uint32_t value;
        const char* why;
    };
    const Case cases[] = {
        {GLOBAL(endpoints), 0, "endpoints of 2048 bytes at 0x0"},
        {GLOBAL(endpoints), FW_GLOBALS + 184, "endpoints"},
        {GLOBAL(endpoints), 0x20004, "multiple of 8"},
        {GLOBAL(endpoints), 0x1fff00, "endpoints"},
        {GLOBAL(endpoints), 0xfffffff8, "endpoints"},
        {GLOBAL(endpoint_windows), FW_SRAM_ENDPOINT_WINDOWS + 8, "multiple of 4096"},
        {GLOBAL(endpoint_windows), 0x181000, "endpoint windows"},
        {GLOBAL(windows), 0x20000, "endpoints at 0x20000 and windows at 0x20000 overlap"},
        {GLOBAL(windows), 0x1fff00 - 0x7ff8, "windows"},
        {GLOBAL(peers), 0x31000, "overlap"},
        {GLOBAL(counters), 0x41ffc, "overlap"},
        {GLOBAL(counters), 0xfffffffc, "counters"},
        {GLOBAL(counter_count), 0, "0 counters"},
        {GLOBAL(counter_count), 129, "129 counters"},
        {GLOBAL(idle_loop), 0x402, "idle loop"},
        {GLOBAL(idle_loop), 0x2000, "idle loop"},
        {GLOBAL(critical_end), 0x180e, "text and constants"},
        {GLOBAL(critical_end), 0x2004, "text and constants"},
        {GLOBAL(critical_end), 0, "text and constants"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.where);
        CAPTURE(c.value);
        FakeCard card;
        card.firmware = [&] {
            good_firmware(card);
            card.set_global(c.where, c.value);
        };
        CHECK(card.boot(good_image()) == -EIO);
        CHECK(contains(card.said(), c.why));
        CHECK_FALSE(card.cpu_running);
        CHECK_FALSE(card.bus_master);
    }
}

TEST_CASE("a version text without an end is cut, and cannot bring control characters into a log") {
    FakeCard card;
    card.firmware = [&] {
        good_firmware(card);
        for (size_t n = 0; n < sizeof(fw_globals::version); n += 4)
            card.set_global(offsetof(fw_globals, version) + n, n == 4 ? 0x41410a41 : 0x41414141);
    };
    REQUIRE(card.boot(good_image()) == 0);
    CHECK(std::string(card.board.firmware_version) == "AAAAAA?" + std::string(40, 'A'));
}

TEST_CASE("a parked card is frozen and off the bus") {
    FakeCard card;
    boot_good(card);
    board_park(&card.board);
    CHECK(card.trace ==
          Strings{"control 80000000", "control 20000000", "wait 20", "control 10000000", "master off"});
    CHECK_FALSE(card.cpu_running);
}
