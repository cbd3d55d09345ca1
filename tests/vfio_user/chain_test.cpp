// SPDX-License-Identifier: BSD-3-Clause
//
// The whole chain without a virtual machine: `myri-fabric start --qemu`, and clients that boot the firmware with board/
// and exchange messages through mapped SRAM and guest memory.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tests/vfio_user/machine.h"

using namespace vfio_test;

namespace {

Bytes body(uint32_t number) {
    Bytes bytes(40);
    for (uint32_t n = 0; n < bytes.size(); n++)
        bytes[n] = static_cast<uint8_t>(number * 31 + n);
    return bytes;
}
Bytes body_of(const fw_event& event) { return {event.u.packet.body, event.u.packet.body + 40}; }

// What the peer table says of hosts' names, in order.
std::vector<std::string> names(const std::string& table) {
    std::vector<std::string> all;
    for (size_t at = table.find(' '); at != std::string::npos; at = table.find(' ', at + 1)) {
        const size_t end = table.find(' ', at + 1);
        all.push_back(table.substr(at + 1, end - at - 1));
        at = end;
    }
    return all;
}

void exchange(Machine& a, Machine& b, uint16_t index_of_a, uint16_t index_of_b, uint32_t rounds) {
    const auto from = a.open(3, 0x1111), to = b.open(5, 0x2222);
    for (uint32_t n = 0; n < rounds; n++) {
        a.send(*from, index_of_b, *to, body(n));
        const fw_event there = b.next(*to);
        REQUIRE(there.type == FW_EVENT_PACKET);
        REQUIRE(body_of(there) == body(n));
        REQUIRE(be32_to_cpu(there.u.packet.header.src_card) == static_cast<uint32_t>(a.board.eeprom.mac));
        b.send(*to, index_of_a, *from, body(n + 1000));
        const fw_event back = a.next(*from);
        REQUIRE(back.type == FW_EVENT_PACKET);
        REQUIRE(body_of(back) == body(n + 1000));
    }
}

} // namespace

TEST_CASE("two guests boot their cards and exchange messages; nothing is left behind") {
    Fabric fabric(0, 2);
    const std::string table = fabric.peers();
    CHECK(names(table) == std::vector<std::string>{"n0:0", "n1:0", "n0:0", "n1:0"});
    const size_t descriptors = open_descriptors(fabric.pid());
    {
        Machine a(fabric.card(0)), b(fabric.card(1));
        a.boot();
        b.boot();
        CHECK(a.board.eeprom.mac + 1 == b.board.eeprom.mac);
        a.set_peers(table);
        b.set_peers(table);
        CHECK(a.interrupts() == 1); // one command, one MSI
        exchange(a, b, 0, 1, 100);
        CHECK(a.interrupts() == 2); // the endpoint's open; none for messages
        // The card moves real memory.
        uint32_t cycles = 0;
        CHECK(a.command(FW_COMMAND_DMABENCH,
                        {FW_DMABENCH_READ, 4096, 10, static_cast<uint32_t>((Machine::HIGH + (8u << 20)) >> 32),
                         static_cast<uint32_t>(Machine::HIGH + (8u << 20))}, &cycles) == 0);
        CHECK(cycles > 10 * 512);
        // There is no memory at 5 * 4 GiB: the firmware stops and says so.
        const uint32_t nowhere[] = {FW_DMABENCH_READ, 4096, 10, 0x5, 0x1000};
        CHECK(board_command_start(&a.board, FW_COMMAND_DMABENCH, nowhere, 5) == 0);
        CHECK(a.status_becomes(FW_STATUS_ERROR));
        CHECK((a.client.config<uint16_t>(6) & 0x2000) != 0); // master abort
        // Down and up again, with endpoints open.
        a.boot(false);
        a.set_peers(table);
        exchange(a, b, 0, 1, 20);
    }
    // Guests that come back find a card as new.
    Machine again(fabric.card(1));
    again.boot(false);
    again.set_peers(table);
    CHECK(again.command(FW_COMMAND_DMABENCH, {FW_DMABENCH_WRITE, 64, 1, 1, 0}) == 0);
    again.client.hang_up();
    for (int n = 0; n < 200 && open_descriptors(fabric.pid()) != descriptors; n++)
        usleep(10'000);
    CHECK(open_descriptors(fabric.pid()) == descriptors);
    CHECK(fabric.stop() == 0);
}

TEST_CASE("guests come behind local hosts, which know their cards") {
    Fabric fabric(2, 1);
    const std::string table = fabric.peers();
    CHECK(names(table) == std::vector<std::string>{"n0:0", "n1:0", "n2:0", "n0:0", "n1:0", "n2:0", "n0:0", "n1:0",
                                                   "n2:0"});
    // Routes are relative: each card's section differs.
    CHECK(table.find(" n2:0 82\n") != std::string::npos);
    CHECK(table.find(" n2:0 81\n") != std::string::npos);
    CHECK(table.find(" n2:0 80\n") != std::string::npos);
    Machine guest(fabric.card(0));
    guest.boot();
    guest.set_peers(table);
    CHECK(guest.command(FW_COMMAND_DMABENCH, {FW_DMABENCH_WRITE, 64, 1, 1, 0}) == 0);
    CHECK(fabric.stop() == 0); // with the guest connected
}

TEST_CASE("what start cannot make of its options is said in one line, and leaves nothing") {
    const Fabric running(0, 1);
    const struct {
        const char *options, *says;
    } cases[] = {
        {"--hosts 0", "0 hosts and 0 guests: 1 to 32 together are possible"},
        {"--hosts 32 --qemu $D/a", "32 hosts and 1 guests: 1 to 32 together are possible"},
        {"--qemu $D/a --qemu $D/a", "/a: somebody listens there"},
        {"--qemu $D/f", "/f: a fabric (pid "},
        {"--qemu $CARD", "/card0: somebody listens there"},
        {"--qemu $D/no/such", "/no/such: No such file or directory"},
        {"--qemu ''", "a path of 1 to 107 bytes is possible"},
        {"--qemu $D/a --peers $D/no/such", "/no/such: cannot be written"},
    };
    for (const auto& c : cases) {
        const std::string command = "D=$(mktemp -d) CARD=" + running.card(0) + "; '" + Fabric::program() +
                                    "' start --foreground --socket $D/f " + c.options + " 2>&1; echo $?; rmdir $D";
        FILE* const said = popen(command.c_str(), "r");
        std::string text;
        for (int byte; (byte = fgetc(said)) != EOF;)
            text += static_cast<char>(byte);
        INFO(text);
        CHECK(pclose(said) == 0); // the folder was empty
        CHECK(text.find(c.says) != std::string::npos);
        CHECK(text.ends_with("\n1\n"));
        CHECK(std::ranges::count(text, '\n') == 3); // the seed, the reason, the status
    }
}

TEST_CASE("a card whose processor never rests keeps nobody waiting, however slow it is") {
    Fabric fabric(0, 1);
    Machine a(fabric.card(0));
    a.client.set_card_word(LANAI_BAR0_CONTROL_WORD, LANAI_CONTROL_CPU_RESET_ON);
    const uint32_t program[] = {0xf3000100, 0xe0000000, 0xf3000100}; // ld r6; bt 0; ld r6 in its slot
    for (uint32_t n = 0; n < 3; n++)
        a.client.set_card_word(4 * n, program[n]);
    a.client.set_card_word(LANAI_BAR0_CONTROL_WORD, LANAI_CONTROL_CPU_RESET_OFF);
    // In processor time of the fabric: this machine may have other things to do.
    long used_ms = 0;
    for (int n = 0; n < 30; n++, usleep(50'000)) {
        const long before = fabric.used_ms();
        CHECK(a.client.card_word(4) == 0xe0000000);
        used_ms += fabric.used_ms() - before;
    }
    CHECK(used_ms <= 300); // less than 3 ms each; hundreds each, and growing, if the simulation chases itself
}

TEST_CASE("a card that nobody uses costs next to nothing, one with an open endpoint naps") {
    Fabric fabric(0, 2);
    Machine a(fabric.card(0)), b(fabric.card(1));
    const auto used_in_a_second = [&] {
        const long before = fabric.used_ms();
        usleep(1'000'000);
        return fabric.used_ms() - before;
    };
    CHECK(used_in_a_second() <= 20); // no firmware runs
    a.boot();
    b.boot();
    CHECK(used_in_a_second() <= 100); // the driver may want something, 100 looks a second
    a.set_peers(fabric.peers());
    const auto endpoint = a.open(0, 1);
    CHECK(used_in_a_second() <= 500); // 5000 looks a second
}
