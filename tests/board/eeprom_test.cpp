// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

int parse(const std::string& bytes, board_eeprom& eeprom) {
    return board_parse_eeprom(bytes.data(), static_cast<uint32_t>(bytes.size()), &eeprom);
}

// Strings separated by '|' and an empty one at the end.
int parse_strings(std::string strings, board_eeprom& eeprom) {
    strings += '|';
    for (char& c : strings)
        if (c == '|')
            c = '\0';
    strings.resize(LANAI_EEPROM_SIZE, '\0');
    return parse(strings, eeprom);
}

} // namespace

TEST_CASE("strings of a real board are understood, with single-digit MAC bytes and unknown strings between") {
    board_eeprom e;
    REQUIRE(parse(good_eeprom(), e) == 0);
    CHECK(e.mac == 0x0060dd49081f);
    CHECK(e.serial == 186714);
    CHECK(std::string(e.product_code) == "M3F-PCIXD-2");
    CHECK(std::string(e.part_number) == "09-03034");
    CHECK(parse_strings("PV:2004|PN=a b|X|PC=c|MAC=0:0:0:0:0:A", e) == 0);
    CHECK(e.mac == 10);
    CHECK(e.serial == 0);
}

TEST_CASE("a board without MAC, PC or PN is refused") {
    board_eeprom e;
    CHECK(parse_strings("SN=1|PC=c|PN=n", e) == -EINVAL);
    CHECK(parse_strings("MAC=0:60:dd:1:2:3|PN=n", e) == -EINVAL);
    CHECK(parse_strings("MAC=0:60:dd:1:2:3|PC=c", e) == -EINVAL);
    CHECK(parse_strings("MAC=0:60:dd:1:2:3|PC=c|PN=n", e) == 0);
    CHECK(parse_strings("", e) == -EINVAL);
    // Behind the empty string that ends the list nothing counts.
    CHECK(parse_strings("MAC=0:60:dd:1:2:3|PC=c||PN=n", e) == -EINVAL);
}

TEST_CASE("malformed values are refused") {
    board_eeprom e;
    const std::string rest = "|PC=c|PN=n";
    for (const char* mac : {"", "0:60:dd:1:2", "0:60:dd:1:2:3:4", "0:60:dd:1:2:003", "0:60:dd:1:2:g",
                            "0:60:dd::2:3", "0-60-dd-1-2-3", "0:60:dd:1:2:3 ", ":0:60:dd:1:2"}) {
        CAPTURE(mac);
        CHECK(parse_strings("MAC=" + std::string(mac) + rest, e) == -EINVAL);
    }
    const std::string good = "MAC=0:60:dd:1:2:3|PC=c|PN=n|SN=";
    CHECK(parse_strings(good + "4294967295", e) == 0);
    CHECK(e.serial == 0xffffffffu);
    for (const char* serial : {"", "4294967296", "99999999999999999999999", "12a", "-1", " 1"}) {
        CAPTURE(serial);
        CHECK(parse_strings(good + serial, e) == -EINVAL);
    }
    const std::string mac = "MAC=0:60:dd:1:2:3|PN=n|PC=";
    CHECK(parse_strings(mac + std::string(31, 'x'), e) == 0);
    CHECK(parse_strings(mac + std::string(32, 'x'), e) == -EINVAL);
    CHECK(parse_strings(mac + "a\tb", e) == -EINVAL);
    CHECK(parse_strings(mac, e) == -EINVAL);
}

TEST_CASE("a string without an end is refused, and bytes behind the given length are not read") {
    board_eeprom e;
    CHECK(parse(std::string(LANAI_EEPROM_SIZE, 'x'), e) == -EINVAL);
    CHECK(parse(std::string("MAC=0:60:dd:1:2:3\0PC=c\0PN=n", 27), e) == -EINVAL);
    CHECK(parse(std::string("MAC=0:60:dd:1:2:3\0PC=c\0PN=n\0", 28), e) == 0);
    CHECK(parse("", e) == -EINVAL);
}

TEST_CASE("garbage never is a board") {
    board_eeprom e;
    uint32_t state = 12345;
    for (int round = 0; round < 2000; round++) {
        std::string bytes;
        for (uint32_t n = 0; n < LANAI_EEPROM_SIZE; n++) {
            state = state * 1664525 + 1013904223;
            bytes += static_cast<char>(state >> 24);
        }
        CHECK(parse(bytes, e) == -EINVAL);
    }
}
