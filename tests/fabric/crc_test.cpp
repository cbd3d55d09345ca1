// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <span>
#include <string>

#include "emulator/fabric/packet_crc.h"
#include "tests/fabric/recording_host.h"

using namespace myri::emulator;
using namespace myri::emulator::test;

namespace {

// The definition, one bit at a time.
uint32_t slow_crc(std::span<const uint8_t> bytes, unsigned width, uint32_t polynomial) {
    uint32_t crc = 0;
    for (uint8_t byte : bytes)
        for (int bit = 7; bit >= 0; --bit) {
            const uint32_t top = (crc >> (width - 1)) & 1;
            crc = (crc << 1) & (width == 32 ? ~0u : (1u << width) - 1);
            if (top != ((byte >> bit) & 1u))
                crc ^= polynomial;
        }
    return crc;
}

// Takes the packet over `hops` crossbars as they do.
void strip(Packet& packet, Trailer& trailer, unsigned hops) {
    for (unsigned i = 0; i < hops; ++i) {
        const uint8_t residue = crc8_residue(packet, trailer);
        ++packet.route_used;
        trailer.crc8 = crc8_forwarded(packet, trailer, residue);
    }
}

} // namespace

TEST_CASE("the CRCs agree with their published check values and with their definition") {
    const std::string text = "123456789";
    const std::vector<uint8_t> digits(text.begin(), text.end());
    CHECK(crc8(digits) == 0xf4);                 // CRC-8 of the ATM header without its final xor
    CHECK(crc32(digits) == (0x765e7680u ^ ~0u)); // CRC-32/CKSUM without its final inversion
    auto packet = make_packet({0x81}, 1000, 3);
    CHECK(crc8(packet->bytes) == slow_crc(packet->bytes, 8, 0x07));
    CHECK(crc32(packet->bytes) == slow_crc(packet->bytes, 32, 0x04c11db7));
}

TEST_CASE("the CRC-32 covers what is behind the route, the CRC-8 all that is in front of it") {
    auto packet = make_packet({0x81, 0x82}, 50, 5, true);
    const Trailer trailer = make_trailer(*packet);
    std::vector<uint8_t> covered(packet->bytes.begin() + 2, packet->bytes.end());
    CHECK(trailer.crc32 == slow_crc(covered, 32, 0x04c11db7));
    std::vector<uint8_t> wire = packet->bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        wire.push_back(static_cast<uint8_t>(trailer.crc32 >> shift));
    CHECK(trailer.crc8 == slow_crc(wire, 8, 0x07));
    CHECK(packet->wire_length() == wire.size() + 1);
}

TEST_CASE(
    "every single-bit damage on any hop is seen behind the last one, by the CRC-32 too behind the route") {
    constexpr unsigned hops = 3;
    for (bool with_crc32 : {false, true}) {
        auto good = make_packet({0x81, 0xbf, 0x82}, 60, 9, with_crc32);
        Packet untouched = *good;
        Trailer untouched_trailer = make_trailer(*good);
        strip(untouched, untouched_trailer, hops);
        CHECK(crc8_residue(untouched, untouched_trailer) == 0);
        CHECK(crc32_agrees(untouched, untouched_trailer));
        for (unsigned damaged_hop = 0; damaged_hop <= hops; ++damaged_hop) {
            const uint64_t bits = 8 * (good->wire_length() - damaged_hop);
            for (uint64_t bit = 0; bit < bits; ++bit) {
                Packet packet = *good;
                Trailer trailer = make_trailer(packet);
                strip(packet, trailer, damaged_hop);
                flip_bit(packet, trailer, bit);
                strip(packet, trailer, hops - damaged_hop);
                CHECK(crc8_residue(packet, trailer) != 0);
                const bool in_route = bit < 8 * (hops - damaged_hop), in_crc8 = bit >= bits - 8;
                CHECK(crc32_agrees(packet, trailer) == (!with_crc32 || in_route || in_crc8));
            }
            Packet packet = *good;
            Trailer trailer = make_trailer(packet);
            strip(packet, trailer, damaged_hop);
            CHECK_THROWS(flip_bit(packet, trailer, bits));
        }
    }
}

TEST_CASE("computing every CRC gives the same results and times as computing those of touched packets") {
    struct Seen {
        Time head, tail;
        uint64_t id;
        bool crc8_bad, crc32_bad, marked_bad;
        bool operator==(const Seen&) const = default;
    };
    auto run = [](bool check_all) {
        FaultInjector faults(77);
        faults.set_probability(MYRI_FAULT_CORRUPT, 0.3);
        faults.set_probability(MYRI_FAULT_DUPLICATE, 0.1);
        faults.set_probability(MYRI_FAULT_REORDER, 0.1);
        Fabric fabric(one_crossbar(6), {}, &faults);
        fabric.network.set_check_all(check_all);
        for (uint64_t i = 0; i < 400; ++i) {
            const auto from = static_cast<unsigned>(i % 6), to = static_cast<unsigned>(i / 6 % 6);
            auto packet = fabric.packet(from, to, 20 + i, i, i % 3 != 0);
            packet->marked_bad = i % 7 == 0;
            if (i % 50 == 3)
                packet->bytes[1] |= 0x80; // a type that looks like a route; it may be left over or not
            if (i % 50 == 4) {            // a crossbar eats the first byte of the type
                packet->bytes.erase(packet->bytes.begin());
                packet->bytes[0] = static_cast<uint8_t>(0x80 | ((to - from) & 0x3f));
                packet->route_length = 0;
            }
            fabric[from].send(i, packet);
        }
        fabric.run();
        std::vector<Seen> seen;
        for (auto& host : fabric.hosts)
            for (auto& a : host->arrivals)
                seen.push_back({a.head, a.tail, a.packet->id, a.packet->crc8_bad, a.packet->crc32_bad,
                                a.packet->marked_bad});
        return seen;
    };
    const auto touched = run(false), all = run(true);
    CHECK(touched.size() > 300);
    CHECK(touched == all);
    auto count = [&](auto what) { return std::count_if(touched.begin(), touched.end(), what); };
    CHECK(count([](const Seen& s) { return s.crc8_bad; }) > 50);
    CHECK(count([](const Seen& s) { return s.crc32_bad; }) > 30);
    CHECK(count([](const Seen& s) { return s.crc32_bad && !s.crc8_bad; }) > 0); // an eaten type byte
    CHECK(count([](const Seen& s) { return s.marked_bad; }) > 30);
}
