// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <bit>
#include <set>

#include "emulator/fabric/fault_injector.h"
#include "tests/fabric/recording_host.h"

using namespace myri::emulator;
using namespace myri::emulator::test;

TEST_CASE("the generator is xoshiro256** seeded by splitmix64") {
    FaultGenerator random(0);
    CHECK(random.next() == 0x99ec5f36cb75f2b4u); // its published first number for the seed 0
    for (int i = 0; i < 1000; ++i) {
        const double fraction = random.fraction();
        CHECK(fraction >= 0);
        CHECK(fraction < 1);
    }
}

TEST_CASE("dropped packets leave the card as usual, arrive nowhere and end as lost") {
    FaultInjector faults;
    faults.set_probability(MYRI_FAULT_DROP, 1);
    Fabric fabric(one_crossbar(2), {}, &faults);
    for (uint64_t i = 0; i < 10; ++i)
        fabric[0].send(0, fabric.packet(0, 1, 98, i));
    fabric.run();
    CHECK(fabric[1].arrivals.empty());
    REQUIRE(fabric[0].sent.size() == 10);
    for (uint64_t i = 0; i < 10; ++i)
        CHECK(fabric[0].sent[i].tail == nanoseconds((i + 1) * 400));
    CHECK(faults.injected(MYRI_FAULT_DROP) == 10);
    CHECK(faults.ended(MYRI_FAULT_DROP, Fate::lost) == 10);
    CHECK(faults.problems().empty());
}

TEST_CASE("a duplicated packet arrives twice back to back, and the copy carries the fault") {
    FaultInjector faults;
    faults.set_probability(MYRI_FAULT_DUPLICATE, 1);
    Fabric fabric(one_crossbar(2), {}, &faults);
    fabric[0].send(0, fabric.packet(0, 1, 98, 5, true));
    fabric[0].send(0, fabric.packet(0, 1, 98, 6, true));
    fabric.run();
    auto& arrivals = fabric[1].arrivals;
    REQUIRE(arrivals.size() == 4);
    REQUIRE(fabric[0].sent.size() == 2);
    for (size_t i = 0; i < 4; ++i) {
        CHECK(intact(*arrivals[i].packet));
        CHECK_FALSE(arrivals[i].packet->crc8_bad);
        CHECK(arrivals[i].packet->id == 5 + i / 2);
        CHECK((arrivals[i].packet->fault_id != 0) == (i % 2 == 1));
        CHECK(arrivals[i].head == nanoseconds(308 + i * 104 * 4));
    }
    CHECK(faults.problems().size() == 2); // nobody has ended them
    faults.end(arrivals[1].packet->fault_id, Fate::duplicate);
    faults.end(arrivals[3].packet->fault_id, Fate::duplicate);
    CHECK(faults.problems().empty());
}

TEST_CASE("a reordered packet comes behind the next one, or alone 20 us later") {
    FaultInjector faults;
    faults.set_probability(MYRI_FAULT_REORDER, 1);
    Fabric fabric(one_crossbar(2), {}, &faults);
    for (uint64_t i = 1; i <= 5; ++i)
        fabric[0].send(0, fabric.packet(0, 1, 98, i));
    fabric.run();
    auto& arrivals = fabric[1].arrivals;
    REQUIRE(arrivals.size() == 5);
    REQUIRE(fabric[0].sent.size() == 5);
    const uint64_t order[] = {2, 1, 4, 3, 5};
    for (size_t i = 0; i < 5; ++i) {
        CHECK(arrivals[i].packet->id == order[i]);
        CHECK(intact(*arrivals[i].packet));
        CHECK((arrivals[i].packet->fault_id != 0) == (order[i] % 2 == 1));
        CHECK(fabric[0].sent[i].packet->id == i + 1);
    }
    // The fifth had its turn behind two extra packets: seven times 400 ns, then 20 us.
    CHECK(arrivals[4].head == nanoseconds(7 * 400 + 20'000 + 308));
    CHECK(faults.injected(MYRI_FAULT_REORDER) == 3);
    for (auto& arrival : arrivals)
        faults.end(arrival.packet->fault_id, Fate::delivered);
    CHECK(faults.problems().empty());
    CHECK(faults.ended(MYRI_FAULT_REORDER, Fate::delivered) == 3);
}

TEST_CASE("every corrupted packet is absorbed or arrives with a bad CRC-8, and one bit differs") {
    FaultInjector faults(3);
    faults.set_probability(MYRI_FAULT_CORRUPT, 1);
    Fabric fabric(one_crossbar(4), {}, &faults);
    constexpr uint64_t packets = 3000;
    std::vector<PacketPtr> given;
    for (uint64_t i = 0; i < packets; ++i) {
        given.push_back(fabric.packet(1, 2, 12, i, true));
        fabric[1].send(0, given.back());
    }
    fabric.run();
    uint64_t arrived = 0, crc32_bad = 0, astray = 0;
    std::set<std::vector<uint8_t>> kinds;
    for (unsigned host = 0; host < 4; ++host)
        for (auto& arrival : fabric[host].arrivals) {
            const Packet& packet = *arrival.packet;
            ++arrived;
            crc32_bad += packet.crc32_bad;
            astray += host != 2;
            CHECK(packet.crc8_bad);
            REQUIRE(packet.bytes.size() == given[packet.id]->bytes.size());
            int differ = 0;
            std::vector<uint8_t> damage;
            for (size_t i = 0; i < packet.bytes.size(); ++i) {
                damage.push_back(packet.bytes[i] ^ given[packet.id]->bytes[i]);
                differ += std::popcount(damage.back());
            }
            kinds.insert(damage);
            CHECK(differ <= 1); // 0: in a CRC
            CHECK(packet.fault_id != 0);
            faults.end(packet.fault_id, packet.crc32_bad ? Fate::crc32 : Fate::crc8);
        }
    // 18 bytes: 1 route, 12 payload, 4 CRC-32, 1 CRC-8; 12 + 4 of them are the CRC-32's.
    CHECK(kinds.size() > 95); // all 96 bits of the payload are hit, and some of the route
    CHECK(crc32_bad > packets * 15 / 18);
    CHECK(crc32_bad < packets * 17 / 18);
    CHECK(astray > 0);
    CHECK(faults.ended(MYRI_FAULT_CORRUPT, Fate::unroutable) > 0);
    CHECK(faults.ended(MYRI_FAULT_CORRUPT, Fate::unroutable) + arrived == packets);
    CHECK(fabric.network.crossbar_counters(0, 1).dead_routes == packets - arrived);
    CHECK(faults.ended(MYRI_FAULT_CORRUPT) == packets);
    CHECK(faults.problems().empty());
    for (auto& packet : given) // the card's own packets are not touched
        CHECK(packet->bytes == make_packet({0x81}, 12, packet->id)->bytes);
}

TEST_CASE("one seed gives the same faults, another seed others, each in its proportion") {
    struct Seen {
        unsigned host;
        uint64_t id, fault_id;
        Time head;
        bool operator==(const Seen&) const = default;
    };
    auto run = [](FaultInjector& faults) {
        faults.set_probability(MYRI_FAULT_DROP, 0.1);
        faults.set_probability(MYRI_FAULT_DUPLICATE, 0.05);
        faults.set_probability(MYRI_FAULT_REORDER, 0.02);
        faults.set_probability(MYRI_FAULT_CORRUPT, 0.2);
        Fabric fabric(one_crossbar(4), {}, &faults);
        for (uint64_t i = 0; i < 4000; ++i)
            fabric[i % 4].send(0, fabric.packet(i % 4, (i + 1) % 4, 40, i));
        fabric.run();
        std::vector<Seen> seen;
        for (unsigned host = 0; host < 4; ++host)
            for (auto& arrival : fabric[host].arrivals)
                seen.push_back({host, arrival.packet->id, arrival.packet->fault_id, arrival.head});
        return seen;
    };
    FaultInjector a(5), b(5), c(6);
    const auto first = run(a);
    CHECK(first == run(b));
    CHECK(first != run(c));
    CHECK(a.injected(MYRI_FAULT_DROP) == doctest::Approx(400).epsilon(0.2));
    CHECK(a.injected(MYRI_FAULT_DUPLICATE) == doctest::Approx(200).epsilon(0.3));
    CHECK(a.injected(MYRI_FAULT_REORDER) == doctest::Approx(80).epsilon(0.4));
    CHECK(a.injected(MYRI_FAULT_CORRUPT) == doctest::Approx(800).epsilon(0.15));
}

TEST_CASE("a packet has at most one fault, and one that was hit before gets no second one") {
    FaultInjector faults;
    faults.set_probability(MYRI_FAULT_DROP, 1);
    faults.set_probability(MYRI_FAULT_CORRUPT_SRAM, 1);
    Fabric fabric(one_crossbar(2), {}, &faults);
    const auto hit = faults.decide(MYRI_FAULT_CORRUPT_SRAM, 0);
    REQUIRE(hit);
    auto packet = fabric.packet(0, 1, 20, 1);
    packet->fault_id = hit.fault_id;
    fabric[0].send(0, packet);
    fabric.run();
    REQUIRE(fabric[1].arrivals.size() == 1);
    CHECK(fabric[1].arrivals[0].packet->fault_id == hit.fault_id);
    CHECK(faults.injected(MYRI_FAULT_DROP) == 0);
}

TEST_CASE("hosts do not influence each other's faults") {
    FaultInjector alone(9), together(9);
    for (FaultInjector* faults : {&alone, &together})
        faults->set_probability(MYRI_FAULT_CORRUPT, 0.5);
    for (int i = 0; i < 100; ++i) {
        (void)together.decide_link(1);
        const auto a = alone.decide_link(0), b = together.decide_link(0);
        CHECK(a.fault_id == b.fault_id);
        CHECK(a.where == b.where);
    }
}

TEST_CASE("the account names faults that end twice, never, or were not injected") {
    FaultInjector faults;
    faults.set_probability(MYRI_FAULT_CORRUPT_PCI, 1);
    const uint64_t first = faults.decide(MYRI_FAULT_CORRUPT_PCI, 3).fault_id;
    const uint64_t second = faults.decide(MYRI_FAULT_CORRUPT_PCI, 3).fault_id;
    CHECK(first != second);
    faults.end(first, Fate::block_mismatch);
    CHECK(faults.problems() == std::vector<std::string>{"corrupt-pci no. 2 of host 3 has not ended"});
    CHECK(faults.table() == "corrupt-pci: 2 injected, 1 block_mismatch, 1 open\n");
    faults.end(second, Fate::delivered);
    CHECK(faults.problems().empty());
    faults.end(0, Fate::delivered); // no fault
    CHECK(faults.problems().empty());
    faults.end(first, Fate::crc8);
    CHECK(faults.problems().size() == 1);
    faults.end(12345, Fate::crc8);
    CHECK(faults.problems().size() == 2);
    CHECK(faults.ended(MYRI_FAULT_CORRUPT_PCI) == 2);
}

TEST_CASE("probabilities outside 0..1 and faults without probability are refused") {
    FaultInjector faults;
    CHECK_THROWS_WITH(faults.set_probability(MYRI_FAULT_DROP, 1.5),
                      "probability of drop is 1.500000, allowed are 0..1");
    CHECK_THROWS(faults.set_probability(MYRI_FAULT_DROP, -0.1));
    CHECK_THROWS(faults.set_probability(MYRI_FAULT_DROP, 0.0 / 0.0));
    CHECK_THROWS_WITH(faults.set_probability(MYRI_FAULT_PARITY, 0.5),
                      "probability of parity: this fault has none, it happens at a given time");
    faults.set_probability(MYRI_FAULT_DROP, 0.6);
    CHECK_THROWS(faults.set_probability(MYRI_FAULT_CORRUPT, 0.5));
    CHECK(faults.probability(MYRI_FAULT_CORRUPT) == 0);
    faults.set_probability(MYRI_FAULT_CORRUPT, 0.4);
}

TEST_CASE("every fault is found by its name") {
    CHECK(fault_by_name("drop") == MYRI_FAULT_DROP);
    CHECK(fault_by_name("corrupt-sram") == MYRI_FAULT_CORRUPT_SRAM);
    CHECK(fault_by_name("corrupt_sram") == MYRI_FAULT_CORRUPT_SRAM);
    CHECK_FALSE(fault_by_name("corrupted").has_value());
    for (unsigned i = 0; i < MYRI_FAULT_KINDS; ++i)
        CHECK(fault_by_name(fault_name(static_cast<myri_fault>(i))) == static_cast<myri_fault>(i));
}
