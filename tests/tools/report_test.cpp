// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstring>

#include "tools/board_text.h"
#include "tools/counter_text.h"
#include "tools/failure.h"
#include "tools/report.h"

using namespace myri::tools;

namespace {

// What a report prints, as one text.
std::string printed(Format format, const std::function<void(Report&)>& work) {
    char* text = nullptr;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    Report report("test", format, false, out, out);
    work(report);
    std::fclose(out);
    std::string result(text, size);
    free(text);
    return result;
}

void two_rows(Report& report) {
    report.property("n", 5);
    report.line("{:9}   {:9.3f}       {:8.3f}", 0, 2.5, 0.0);
    report.record({{"length", 0}, {"name", "a"}});
    report.line("{:9}   {:9.3f}       {:8.3f}", 1048576, 4227.3456, 248.05);
    report.record({{"length", 1048576}, {"name", "b,\"c"}});
    report.remark("not seen");
    report.finish(true);
}

} // namespace

TEST_CASE("text is the lines alone") {
    CHECK_EQ(printed(Format::TEXT, two_rows), "        0       2.500          0.000\n"
                                              "  1048576    4227.346        248.050\n");
}

TEST_CASE("CSV has one header and quotes what needs it") {
    CHECK_EQ(printed(Format::CSV, two_rows), "length,name\n0,a\n1048576,\"b,\"\"c\"\n");
}

TEST_CASE("JSON is one document that says whether it is complete") {
    auto document = nlohmann::json::parse(printed(Format::JSON, two_rows));
    CHECK_EQ(document["tool"], "test");
    CHECK_EQ(document["n"], 5);
    CHECK_EQ(document["complete"], true);
    CHECK_EQ(document["results"].size(), 2u);
    CHECK_EQ(document["results"][1]["length"], 1048576);
}

TEST_CASE("output that cannot be written is a failure") {
    FILE* full = std::fopen("/dev/full", "w");
    REQUIRE(full);
    Report report("test", Format::TEXT, false, full, full);
    CHECK_THROWS_WITH_AS(report.line("x"), doctest::Contains("No space left"), Failure);
    std::fclose(full);
}

TEST_CASE("a counter's line has label, colon, decimal and hexadecimal") {
    CHECK_EQ(counter_label(0), "Packets sent");
    CHECK_EQ(counter_label(2), "Bad CRC");
    CHECK_EQ(counter_label(1000), "Counter 1000");
    CHECK_EQ(counter_line("Packets sent", 4242), "    Packets sent:                              4242 (0x1092)");
    CHECK_EQ(counter_line("x", 0xffffffff), "    x:                                   4294967295 (0xffffffff)");
}

TEST_CASE("a board's lines") {
    myri_board_info info{};
    info.board = 0;
    info.link_up = 1;
    info.mac = 0x0060dd010203;
    info.serial = 297222;
    info.ports = 1;
    info.lanai_khz = 225000;
    info.pci_khz = 133333;
    info.sram_bytes = 2u << 20;
    info.peer_count = 2;
    std::strcpy(info.product_code, "M3F-PCIXD-2");
    std::strcpy(info.part_number, "09-02666");
    std::vector<std::string> expected = {
        "===================================================================",
        "Instance #0:  225.0 MHz LANai, 133.3 MHz PCI bus, 2 MB SRAM",
        "\tStatus:\t\tRunning, P0: Link up",
        "\tNetwork:\tMyrinet 2000",
        "",
        "\tMAC Address:\t00:60:dd:01:02:03",
        "\tProduct code:\tM3F-PCIXD-2",
        "\tPart number:\t09-02666",
        "\tSerial number:\t297222",
        "\tMapper:\t\t00:00:00:00:00:00, version = 0x00000000, configured",
        "\tMapped hosts:\t2",
    };
    CHECK_EQ(board_lines(info), expected);
    info.ports = 2;
    info.link_up = 0;
    CHECK_EQ(status_text(info), "Running, P0: Link down, P1: Link down");
    info.dead = EIO;
    CHECK_EQ(status_text(info), "Dead, its firmware stopped or its memory failed");
}

TEST_CASE("the table of hosts marks the board itself") {
    std::vector<myri_peer> peers(2);
    peers[0].mac = 0x0060dd000001;
    std::strcpy(peers[0].name, "n0:0");
    peers[1].mac = 0x0060dd000002;
    std::strcpy(peers[1].name, "n1:0");
    peers[1].route_length = 1;
    std::vector<std::string> expected = {
        "",
        "                                                        ROUTE COUNT",
        "INDEX    MAC ADDRESS       HOST NAME                     P0",
        "-----    -----------       ---------                     ---",
        "   0) 00:60:dd:00:00:01 n0:0                            D 0,0",
        "   1) 00:60:dd:00:00:02 n1:0                              1,0",
    };
    CHECK_EQ(peer_lines(peers, 0x0060dd000001), expected);
}
