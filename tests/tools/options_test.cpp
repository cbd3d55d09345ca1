// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tools/options.h"

using namespace myri::tools;

namespace {

struct Parsed {
    std::optional<int> code;
    PeerOptions peer;
};

Parsed parse(std::vector<const char*> words) {
    Parsed parsed;
    CLI::App app("Test", "test");
    add_peer_options(app, parsed.peer);
    words.insert(words.begin(), "test");
    parsed.code = parse_options(app, static_cast<int>(words.size()), words.data());
    return parsed;
}

} // namespace

TEST_CASE("defaults are those of Myricom's programs") {
    Parsed parsed = parse({});
    CHECK(!parsed.code);
    CHECK_EQ(parsed.peer.board, 0xffffffffu);
    CHECK_EQ(parsed.peer.endpoint, 1u);
    CHECK_EQ(parsed.peer.remote_endpoint, 1u);
    CHECK_EQ(parsed.peer.filter, 0x12345u);
    CHECK(parsed.peer.destination.empty());
    CHECK(!parsed.peer.block);
}

TEST_CASE("short options with values") {
    Parsed parsed = parse({"-d", "n0:0", "-e", "3", "-r4", "-f", "0xffffffff", "-b", "2", "-w"});
    CHECK(!parsed.code);
    CHECK_EQ(parsed.peer.destination, "n0:0");
    CHECK_EQ(parsed.peer.endpoint, 3u);
    CHECK_EQ(parsed.peer.remote_endpoint, 4u);
    CHECK_EQ(parsed.peer.filter, 0xffffffffu);
    CHECK_EQ(parsed.peer.board, 2u);
    CHECK(parsed.peer.block);
}

TEST_CASE("numbers that are none, too large or negative are usage errors") {
    for (const char* value : {"x", "", "1x", "32", "-1", "0x", "4294967297", "99999999999999999999"}) {
        CAPTURE(value);
        CHECK_EQ(parse({"-e", value}).code, 2);
    }
    CHECK_EQ(parse({"-f", "4294967296"}).code, 2);
    CHECK_EQ(parse({"-e"}).code, 2);
    CHECK_EQ(parse({"--nonsense"}).code, 2);
    CHECK_EQ(parse({"word"}).code, 2);
    CHECK_EQ(parse({"-n", "00:60:dd:00:00:0x"}).code, 2);
    CHECK_EQ(parse({"-n", "1", "-b", "0"}).code, 2);
}

TEST_CASE("help ends the program with success") { CHECK_EQ(parse({"--help"}).code, 0); }

TEST_CASE("a card's id is a number or a MAC address") {
    CHECK_EQ(parse_nic_id("00:60:dd:01:02:03"), 0x0060dd010203u);
    CHECK_EQ(parse_nic_id("0x60dd010203"), 0x60dd010203u);
    CHECK_EQ(parse_nic_id("17"), 17u);
    for (const char* text : {"", "00:60:dd", "00:60:dd:01:02:03:04", "00-60-dd-01-02-03", "00:60:dd:01:02:0g", ":::::"}) {
        CAPTURE(text);
        CHECK(!parse_nic_id(text));
    }
}
