// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "emulator/fabric/fault_injector.h"
#include "tests/fabric/recording_host.h"

using namespace myri::emulator;
using namespace myri::emulator::test;

TEST_CASE("a stopped receiver stops every sender to it and nobody else, and no byte is lost") {
    Fabric fabric(one_crossbar(5));
    fabric[2].port.set_stop(0, true);
    fabric[0].send(0, fabric.packet(0, 2, 8192, 10));
    fabric[1].send(0, fabric.packet(1, 2, 8192, 11));
    fabric[3].send(0, fabric.packet(3, 4, 8192, 13));
    fabric[2].port.set_stop(microseconds(50), false);
    fabric.run();

    const Time on_wire = 8193 * 4000; // behind the crossbar
    REQUIRE(fabric[4].arrivals.size() == 1);
    CHECK(fabric[4].arrivals[0].tail == 308'000 + on_wire);
    CHECK(fabric[3].changes.empty());

    // The head is in the crossbar at 92.5 ns; 801 bytes later, one of them the route, 800 lie in its buffer;
    // STOP takes 92.5 ns. GO leaves the card at 50 us and is in the crossbar at 50.0925 us; 848 bytes had
    // come, 847 wait; 127 bytes later 720 are left, and GO takes 92.5 ns to the card.
    for (unsigned sender : {0u, 1u}) {
        REQUIRE(fabric[sender].changes.size() == 2);
        CHECK(fabric[sender].changes[0].when == 92'500 + 801 * 4000 + 92'500);
        CHECK(fabric[sender].changes[0].stopped);
        CHECK_FALSE(fabric[sender].changes[1].stopped);
    }
    const Time flowing = 50'092'500;
    CHECK(fabric[0].changes[1].when == flowing + 127 * 4000 + 92'500);

    // The buffer holds enough for the way of GO and of the next bytes, so both come in one piece, one behind
    // the other.
    REQUIRE(fabric[2].arrivals.size() == 2);
    CHECK(fabric[2].arrivals[0].head == flowing + 92'500);
    CHECK(fabric[2].arrivals[0].tail == flowing + 92'500 + on_wire);
    CHECK(fabric[2].arrivals[1].head == flowing + 92'500 + on_wire);
    CHECK(fabric[2].arrivals[1].tail == flowing + 92'500 + 2 * on_wire);
    CHECK(fabric[2].arrivals[0].packet->id == 10);
    CHECK(fabric[2].arrivals[1].packet->id == 11);
    for (auto& arrival : fabric[2].arrivals)
        CHECK(intact(*arrival.packet));

    auto in = fabric.network.crossbar_counters(0, 0), out = fabric.network.crossbar_counters(0, 2);
    CHECK(in.packets_in == 1);
    CHECK(in.bytes_in == 8194);
    CHECK(in.stops_sent == 1);
    CHECK(in.fullest == 847);
    CHECK(out.packets_out == 2);
    CHECK(out.bytes_out == 2 * 8193);
    CHECK(out.stopped == microseconds(50));
    CHECK(fabric.network.host_counters(0).stopped == fabric[0].changes[1].when - fabric[0].changes[0].when);
}

TEST_CASE("a receiver that stops in mid-packet gets only what is under way") {
    Fabric fabric(one_crossbar(2));
    fabric[0].send(0, fabric.packet(0, 1, 999, 1)); // 1000 bytes behind the crossbar
    // STOP is in the crossbar at 492.5 ns, the first byte left there at 215.5: 69.25 bytes, so the 70th goes
    // out. GO is there at 10092.5 ns: the other 930 bytes follow.
    fabric[1].port.set_stop(nanoseconds(400), true);
    fabric[1].port.set_stop(nanoseconds(10'000), false);
    fabric.run();
    REQUIRE(fabric[1].arrivals.size() == 1);
    CHECK(fabric[1].arrivals[0].head == nanoseconds(308));
    CHECK(fabric[1].arrivals[0].tail == 10'092'500 + 930 * 4000 + 92'500);
}

TEST_CASE("GO sent too late lets the output run dry for the missing time") {
    FabricParameters parameters;
    parameters.go_at = 10;
    Fabric fabric(one_crossbar(2), parameters);
    fabric[1].port.set_stop(0, true);
    fabric[0].send(0, fabric.packet(0, 1, 8192, 1));
    fabric[1].port.set_stop(microseconds(50), false);
    const size_t events = fabric.run();
    // From GO to the next byte: 185 ns; the 10 bytes left last 40 ns.
    REQUIRE(fabric[1].arrivals.size() == 1);
    CHECK(fabric[1].arrivals[0].tail == 50'185'000 + 8193 * 4000 + (185 - 40) * 1000);
    CHECK(intact(*fabric[1].arrivals[0].packet));
    CHECK(events <= 30);
}

TEST_CASE("a packet that waits for its output holds up those behind it, also to free outputs") {
    Fabric fabric(one_crossbar(4));
    fabric[0].send(0, fabric.packet(0, 2, 4000, 1));
    fabric[1].send(nanoseconds(100), fabric.packet(1, 2, 96, 2)); // waits for the first one
    fabric[1].send(nanoseconds(100), fabric.packet(1, 3, 96, 3)); // its output is free
    fabric.run();
    REQUIRE(fabric[2].arrivals.size() == 2);
    REQUIRE(fabric[3].arrivals.size() == 1);
    const Time free = 215'500 + 4001 * 4000; // the output to host 2
    CHECK(fabric[2].arrivals[1].head == free + 92'500);
    CHECK(fabric[3].arrivals[0].head == free + 97 * 4000 + 92'500);
}

TEST_CASE("inputs that want one output get it in turn") {
    Fabric fabric(one_crossbar(8));
    for (uint64_t i = 0; i < 50; ++i)
        for (unsigned sender : {1u, 2u, 5u, 7u})
            fabric[sender].send(0, fabric.packet(sender, 0, 200, sender));
    fabric.run();
    REQUIRE(fabric[0].arrivals.size() == 200);
    for (size_t i = 0; i + 4 < 200; ++i)
        CHECK(fabric[0].arrivals[i].packet->id == fabric[0].arrivals[i + 4].packet->id);
    for (size_t i = 1; i < 200; ++i) // and the output never idles
        CHECK(fabric[0].arrivals[i].head == fabric[0].arrivals[i - 1].tail);
}

TEST_CASE("long packets do not get more turns than short ones, only more bytes") {
    Fabric fabric(one_crossbar(3));
    for (uint64_t i = 0; i < 20; ++i) {
        fabric[1].send(0, fabric.packet(1, 0, 8192, 1));
        fabric[2].send(0, fabric.packet(2, 0, 20, 2));
    }
    fabric.run();
    for (size_t i = 0; i < 40; ++i)
        CHECK(fabric[0].arrivals[i].packet->id == 1 + i % 2);
}

TEST_CASE("dead routes are absorbed and counted, and what follows is not disturbed") {
    FaultInjector faults;
    Fabric fabric(one_crossbar(4), {}, &faults);
    const std::vector<std::vector<uint8_t>> dead = {
        {},     // the type is no route byte
        {0x7f}, // bit 7 clear
        {0x83}, // 1 + 3: no cable in port 4
        {0x8f}, // 1 + 15: no port 16
        {0xbe}, // 1 - 2: no port -1
        {0xa0}, // 1 - 32
    };
    for (auto& route : dead)
        for (size_t payload : {0u, 8u, 5000u})
            fabric[1].send(0, make_packet(route, payload, 1));
    fabric[1].send(0, fabric.packet(1, 2, 100, 99));
    fabric.run();
    auto counters = fabric.network.crossbar_counters(0, 1);
    CHECK(counters.dead_routes == 3 * dead.size());
    CHECK(counters.packets_in == 3 * dead.size() + 1);
    CHECK(counters.stops_sent == 0);
    for (unsigned host : {0u, 1u, 3u})
        CHECK(fabric[host].arrivals.empty());
    REQUIRE(fabric[2].arrivals.size() == 1);
    CHECK(intact(*fabric[2].arrivals[0].packet));
    CHECK(fabric[2].arrivals[0].tail - fabric[2].arrivals[0].head == 101 * 4000);
}

TEST_CASE("a packet with route bytes left reaches its host with them in front") {
    Fabric fabric(one_crossbar(2));
    fabric[0].send(0, make_packet({0x81, 0x85}, 20, 1, true));
    fabric.run();
    REQUIRE(fabric[1].arrivals.size() == 1);
    const Packet& packet = *fabric[1].arrivals[0].packet;
    CHECK(packet.bytes[packet.route_used] == 0x85);
    CHECK_FALSE(packet.crc8_bad);
    CHECK_FALSE(packet.crc32_bad);
}

TEST_CASE("a card that sends before its last packet has left is a programming error") {
    Fabric fabric(one_crossbar(2));
    fabric[0].port.send(0, fabric.packet(0, 1, 20, 1));
    CHECK_THROWS(fabric[0].port.send(0, fabric.packet(0, 1, 20, 2)));
}

TEST_CASE("random traffic and random stops over three crossbars lose and damage nothing") {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        FaultGenerator random(seed);
        auto below = [&](uint64_t n) { return random.next() % n; };
        Topology topology; // a chain: no loop, so no deadlock
        topology.crossbars = {16, 16, 16};
        for (unsigned host = 0; host < 9; ++host)
            topology.cables.push_back({host_end(host), crossbar_end(host / 3, host % 3 * 2 + 1)});
        topology.cables.push_back({crossbar_end(0, 15), crossbar_end(1, 0), 200});
        topology.cables.push_back({crossbar_end(1, 15), crossbar_end(2, 0), 37});
        FabricParameters parameters;
        if (seed % 2)
            parameters.go_at = 5; // outputs run dry
        Fabric fabric(topology, parameters);
        uint64_t id = 0, bytes = 0;
        for (unsigned host = 0; host < 9; ++host) {
            for (int i = 0; i < 60; ++i) {
                const size_t payload = below(4) ? 4 + below(60) : 4 + below(9000);
                fabric[host].send(0, fabric.packet(host, static_cast<unsigned>(below(9)), payload, ++id));
                bytes += payload + 1;
            }
            for (Time t = 0; t < microseconds(1000);) {
                t += below(microseconds(20));
                fabric[host].port.set_stop(t, true);
                t += below(microseconds(4));
                fabric[host].port.set_stop(t, false);
            }
        }
        fabric.run();
        std::vector<int> seen(id + 1, 0);
        uint64_t arrived = 0;
        for (unsigned host = 0; host < 9; ++host) {
            arrived += fabric.network.host_counters(host).bytes_in;
            Time last = 0;
            for (auto& arrival : fabric[host].arrivals) {
                ++seen[arrival.packet->id];
                CHECK(intact(*arrival.packet));
                CHECK(arrival.head >= last);
                const Time needed = (arrival.packet->wire_length()) * Time{4000};
                CHECK(arrival.tail >= arrival.head + needed);
                last = arrival.tail;
            }
        }
        CHECK(std::count(seen.begin() + 1, seen.end(), 1) == static_cast<long>(id));
        CHECK(arrived == bytes);
        for (unsigned crossbar = 0; crossbar < 3; ++crossbar)
            for (unsigned port = 0; port < 16; ++port)
                CHECK(fabric.network.crossbar_counters(crossbar, port).fullest <= parameters.slack_bytes);
    }
}
