// SPDX-License-Identifier: BSD-3-Clause
// The text of peer tables: what is read for which card, and what each wrong line is told.
#include <doctest/doctest.h>

#include <sstream>

#include "tools/failure.h"
#include "tools/peer_table.h"

using namespace myri::tools;

namespace {

constexpr uint64_t A = 0x0060dd000001, B = 0x0060dd000002, C = 0x0060dd000003;

std::vector<myri_peer> read(const std::string& text, uint64_t mac = A) {
    std::istringstream stream(text);
    return read_peers(stream, "table", mac);
}

std::string complaint(const std::string& text) {
    try {
        read(text);
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "";
}

constexpr const char* TWO_CARDS = "# two hosts on one crossbar\n"
                                  "00:60:dd:00:00:03 n2:1 84   # for all\n"
                                  "\n"
                                  "[00:60:dd:00:00:01]\r\n"
                                  "00:60:dd:00:00:01 n0:0 80\r\n"
                                  "\t00:60:dd:00:00:02  n1:0  81 8F bf\n"
                                  "[00:60:DD:00:00:02]\n"
                                  "00:60:dd:00:00:02 n1:0 80\n";

} // namespace

TEST_CASE("a card gets the lines before any section and those of its own, in their order") {
    const auto peers = read(TWO_CARDS);
    REQUIRE_EQ(peers.size(), 3u);
    CHECK_EQ(peers[0].mac, C);
    CHECK_EQ(std::string(peers[0].name), "n2:1");
    CHECK_EQ(peers[0].route_length, 1u);
    CHECK_EQ(peers[0].route[0], 0x84);
    CHECK_EQ(peers[1].mac, A);
    CHECK_EQ(peers[2].mac, B);
    CHECK_EQ(peers[2].route_length, 3u);
    CHECK_EQ(peers[2].route[1], 0x8f);
    CHECK_EQ(peers[2].route[2], 0xbf);
    const auto of_b = read(TWO_CARDS, B);
    REQUIRE_EQ(of_b.size(), 2u);
    CHECK_EQ(of_b[1].mac, B);
    CHECK_EQ(read(TWO_CARDS, C).size(), 1u);
    CHECK(read("").empty());
}

TEST_CASE("what is shown is read again as the same") {
    const auto peers = read(TWO_CARDS);
    std::string text = section_line(A) + "\n";
    for (const myri_peer& peer : peers)
        text += peer_line(peer) + "\n";
    CHECK_EQ(text, "[00:60:dd:00:00:01]\n"
                   "00:60:dd:00:00:03 n2:1 84\n"
                   "00:60:dd:00:00:01 n0:0 80\n"
                   "00:60:dd:00:00:02 n1:0 818fbf\n");
    const auto again = read(text);
    REQUIRE_EQ(again.size(), peers.size());
    for (size_t i = 0; i < peers.size(); i++)
        CHECK_EQ(peer_line(again[i]), peer_line(peers[i]));
}

TEST_CASE("a wrong line is named with its value and what is allowed") {
    CHECK_EQ(complaint("\n00:60:dd:00:00:01 n0:0\n"),
             "table:2: '00:60:dd:00:00:01 n0:0' is not MAC HOSTNAME:BOARD ROUTE");
    for (const char* mac :
         {"00:60:dd:00:00", "00:60:dd:00:00:0g", "4711", "00:00:00:00:00:00", "00:60:dd:00:00:01:02"})
        CHECK_EQ(complaint(std::string(mac) + " n0:0 80"),
                 "table:1: MAC '" + std::string(mac) +
                     "' is not six bytes in hexadecimal, like 00:60:dd:00:00:01");
    for (const char* name : {"n0", "n0:", "n0:4", "n0:x", ":0", "n0:-1"})
        CHECK_EQ(complaint(std::string("00:60:dd:00:00:01 ") + name + " 80"),
                 "table:1: name '" + std::string(name) + "' is not HOSTNAME:BOARD with a board from 0 to 3");
    const std::string longest = std::string(77, 'h') + ":0";
    CHECK_EQ(complaint("00:60:dd:00:00:01 " + longest + " 80"), "");
    CHECK_EQ(complaint("00:60:dd:00:00:01 h" + longest + " 80"),
             "table:1: name 'h" + longest + "' has 80 characters, at most 79 are possible");
    for (const char* route : {"8", "808", "0x80", "8g"})
        CHECK_EQ(complaint(std::string("00:60:dd:00:00:01 n0:0 ") + route),
                 "table:1: route '" + std::string(route) +
                     "' is not a row of bytes of two hexadecimal digits");
    CHECK_EQ(complaint("00:60:dd:00:00:01 n0:0 80 7f"), "table:1: route byte 0x7f is not from 0x80 to 0xff");
    CHECK_EQ(complaint("00:60:dd:00:00:01 n0:0 8081828384858687"), "");
    CHECK_EQ(complaint("00:60:dd:00:00:01 n0:0 808182838485868788"),
             "table:1: a route of 9 bytes: 1 to 8 are possible");
    CHECK_EQ(complaint("[00:60:dd:00:00:01\n"), "table:1: section '[00:60:dd:00:00:01' is not [MAC]");
    CHECK_EQ(complaint("[n0]\n"),
             "table:1: MAC 'n0' is not six bytes in hexadecimal, like 00:60:dd:00:00:01");
}

TEST_CASE("lines for other cards are checked too") {
    CHECK_EQ(complaint("[00:60:dd:00:00:02]\n00:60:dd:00:00:01 n0:0 01\n"),
             "table:2: route byte 0x01 is not from 0x80 to 0xff");
}

TEST_CASE("a card or a name may stand in one table once") {
    CHECK_EQ(complaint("00:60:dd:00:00:01 n0:0 80\n10:60:dd:00:00:01 n1:0 81\n"),
             "table:2: MAC 10:60:dd:00:00:01 and that of line 1 are alike in their low 32 bits");
    CHECK_EQ(complaint("00:60:dd:00:00:01 n0:0 80\n\n00:60:dd:00:00:02 n0:0 81\n"),
             "table:3: name 'n0:0' stands in line 1 already");
    CHECK_EQ(complaint("[00:60:dd:00:00:01]\n00:60:dd:00:00:01 n0:0 "
                       "80\n[00:60:dd:00:00:02]\n00:60:dd:00:00:01 n0:0 81\n"),
             "");
}

TEST_CASE("a table takes 512 peers") {
    std::string text;
    for (unsigned i = 0; i < 512; i++) {
        char line[64];
        std::snprintf(line, sizeof line, "00:60:dd:01:%02x:%02x h%u:0 80\n", i >> 8, i & 255, i);
        text += line;
    }
    CHECK_EQ(read(text).size(), 512u);
    CHECK_EQ(complaint(text + "00:60:dd:00:00:01 n0:0 80\n"),
             "table:513: more than 512 peers for card 00:60:dd:00:00:01");
}
