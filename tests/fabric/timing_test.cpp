// SPDX-License-Identifier: BSD-3-Clause
//
// Times worked out by hand from the published numbers: 4 ns a byte, 6.5 ns/m, and the calibration in
// fabric_parameters.h (30 ns per conversion, 123 ns per crossbar).
#include <doctest/doctest.h>

#include "tests/fabric/recording_host.h"

using namespace myri::emulator;
using namespace myri::emulator::test;

namespace {

// Two crossbars, a cable between port 15 of the first and port 3 of the second; hosts 0, 1 on the first
// (ports 0, 1), 2, 3 on the second (ports 0, 1).
Topology two_crossbars(double trunk_m = 0) {
    Topology topology;
    topology.crossbars = {16, 16};
    topology.cables = {{host_end(0), crossbar_end(0, 0)},
                       {host_end(1), crossbar_end(0, 1)},
                       {host_end(2), crossbar_end(1, 0)},
                       {host_end(3), crossbar_end(1, 1)},
                       {crossbar_end(0, 15), crossbar_end(1, 3), trunk_m}};
    return topology;
}

} // namespace

TEST_CASE("a 48-byte null packet takes half a microsecond from port to port over one crossbar") {
    Fabric fabric(one_crossbar(2));
    auto packet = fabric.packet(0, 1, 47, 1); // and one byte of CRC-8
    fabric[0].send(nanoseconds(1000), packet);
    fabric.run();
    REQUIRE(fabric[1].arrivals.size() == 1);
    CHECK(fabric[1].arrivals[0].head == nanoseconds(1000 + 308));
    CHECK(fabric[1].arrivals[0].tail == nanoseconds(1000 + 500));
    CHECK(intact(*fabric[1].arrivals[0].packet));
    REQUIRE(fabric[0].sent.size() == 1);
    CHECK(fabric[0].sent[0].packet == packet);
    CHECK(fabric[0].sent[0].tail == nanoseconds(1000 + 49 * 4)); // with its route byte
}

TEST_CASE("cut-through: a second crossbar and a longer cable add their delays and nothing per byte") {
    for (size_t payload : {4u, 47u, 4096u, 16384u}) {
        Fabric one(one_crossbar(2)), two(two_crossbars()), far(two_crossbars(200));
        one[0].send(0, one.packet(0, 1, payload, 1));
        two[0].send(0, two.packet(0, 3, payload, 1));
        far[0].send(0, far.packet(0, 3, payload, 1));
        one.run(), two.run(), far.run();
        REQUIRE(one[1].arrivals.size() == 1);
        REQUIRE(two[3].arrivals.size() == 1);
        REQUIRE(far[3].arrivals.size() == 1);
        const Time bytes = (payload + 1) * 4000;
        CHECK(one[1].arrivals[0].tail == 308'000 + bytes);
        CHECK(two[3].arrivals[0].head == 308'000 + 123'000 + 92'500);
        CHECK(two[3].arrivals[0].tail == 308'000 + 123'000 + 92'500 + bytes);
        CHECK(far[3].arrivals[0].tail == 308'000 + 123'000 + 60'000 + 1'300'000 + bytes);
        CHECK(intact(*two[3].arrivals[0].packet));
    }
}

TEST_CASE("packets sent back to back keep the link full through a crossbar") {
    Fabric fabric(one_crossbar(2));
    for (uint64_t i = 0; i < 100; ++i)
        fabric[0].send(0, fabric.packet(0, 1, 19, i));
    fabric.run();
    REQUIRE(fabric[1].arrivals.size() == 100);
    // The card sends 21 bytes each, one after another; the crossbar takes one off.
    for (uint64_t i = 0; i < 100; ++i) {
        CHECK(fabric[1].arrivals[i].head == nanoseconds(308 + i * 21 * 4));
        CHECK(fabric[1].arrivals[i].tail == nanoseconds(308 + i * 21 * 4 + 80));
    }
}

TEST_CASE("a host reaches itself through the crossbar with delta 0") {
    Fabric fabric(one_crossbar(3));
    CHECK(fabric.network.route(2, 2) == std::vector<uint8_t>{0x80});
    fabric[2].send(0, fabric.packet(2, 2, 47, 7));
    fabric.run();
    REQUIRE(fabric[2].arrivals.size() == 1);
    CHECK(fabric[2].arrivals[0].tail == nanoseconds(500));
}

TEST_CASE("route bytes are 0x80 plus the port difference in six bits") {
    Fabric fabric(one_crossbar(32));
    CHECK(fabric.network.route(4, 5) == std::vector<uint8_t>{0x81});
    CHECK(fabric.network.route(5, 4) == std::vector<uint8_t>{0xbf});
    CHECK(fabric.network.route(0, 31) == std::vector<uint8_t>{0x9f});
    CHECK(fabric.network.route(31, 0) == std::vector<uint8_t>{0xa1});
    Network two(fabric.scheduler, two_crossbars());
    CHECK(two.route(0, 3) == std::vector<uint8_t>{0x8f, 0xbe}); // +15, then 3 -> 1
    CHECK(two.route(3, 0) == std::vector<uint8_t>{0x82, 0xb1}); // 1 -> 3, then 15 -> 0
    for (unsigned to = 0; to < 32; ++to)
        fabric[31 - to].send(0, fabric.packet(31 - to, to, 10, to));
    fabric.run();
    for (unsigned to = 0; to < 32; ++to) {
        REQUIRE(fabric[to].arrivals.size() == 1);
        CHECK(fabric[to].arrivals[0].packet->id == to);
    }
}

TEST_CASE("no packet and no STOP reaches another card sooner than the lookahead") {
    // One link to the crossbar and one from it, for a STOP that an input passes on at once.
    Fabric one(one_crossbar(2)), two(two_crossbars());
    CHECK(one[0].port.lookahead() == nanoseconds(185));
    CHECK(two[0].port.lookahead() == nanoseconds(185)); // host 1 is on the same crossbar
    Topology direct;
    direct.cables = {{host_end(0), host_end(1), 200}};
    Fabric pair(direct);
    CHECK(pair[0].port.lookahead() == nanoseconds(1360));
    pair[0].send(0, pair.packet(0, 1, 10, 1));
    pair[0].port.set_stop(0, true);
    pair.run();
    REQUIRE(pair[1].arrivals.size() == 1);
    CHECK(pair[1].arrivals[0].head == nanoseconds(1360));
    REQUIRE(pair[1].changes.size() == 1);
    CHECK(pair[1].changes[0].when == nanoseconds(1360));
}

TEST_CASE("an 8 KiB packet costs at most eight events over one crossbar") {
    Fabric fabric(one_crossbar(2));
    fabric[0].send(0, fabric.packet(0, 1, 8192, 1));
    CHECK(fabric.run() <= 8);
    CHECK(fabric[1].arrivals.size() == 1);
}

TEST_CASE("a bad topology is refused with the reason") {
    Scheduler scheduler;
    auto with = [](Topology topology, Cable cable) {
        topology.cables.push_back(cable);
        return topology;
    };
    const Topology good = one_crossbar(2);
    CHECK_THROWS_WITH(Network(scheduler, with(good, {host_end(2), crossbar_end(0, 1)})),
                      "topology: crossbar 0 port 1 has two cables");
    CHECK_THROWS_WITH(Network(scheduler, with(good, {host_end(2), crossbar_end(0, 16)})),
                      "topology: crossbar 0 port 16: it has 16 ports");
    CHECK_THROWS_WITH(Network(scheduler, with(good, {host_end(2), crossbar_end(1, 0)})),
                      "topology: crossbar 1 port 0: there are 1 crossbars");
    CHECK_THROWS_WITH(Network(scheduler, with(good, {host_end(3), crossbar_end(0, 3)})),
                      "topology: the highest host number is 3, but only 3 hosts have a cable");
    CHECK_THROWS(Network(scheduler, with(good, {host_end(2), crossbar_end(0, 3), 201})));
    CHECK_THROWS_WITH(one_crossbar(33), "topology: 33 hosts on one crossbar, allowed are 1..32");
    CHECK_THROWS_WITH(good.route(0, 2), "topology: no path from host 0 to host 2");
    FabricParameters small;
    small.slack_bytes = 820; // STOP at 800, and 46 more bytes come within a round trip of 185 ns
    CHECK_THROWS_WITH(Network(scheduler, good, small),
                      "a cable of 5.000000 m needs slack_bytes of 848 with stop_at 800; there are 820");
}
