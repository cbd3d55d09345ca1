// SPDX-License-Identifier: BSD-3-Clause
//
// A host whose card sends anything at all: it may waste time, but must neither stop the firmware nor reach an
// endpoint with a packet that it may not send.
#include <doctest/doctest.h>
#include <random>

#include "emulator/fabric/fault_injector.h"
#include "tests/rig/test_endpoint.h"

using namespace myri::rig;

namespace {

Bytes packet(uint8_t kind, uint8_t endpoint, uint32_t session, const Bytes& body, uint32_t card,
             uint16_t length) {
    auto at = [](uint32_t v, int shift) { return static_cast<uint8_t>(v >> shift); };
    Bytes p{0x4d, 0x59, 1, kind, endpoint, 0, at(length, 8), at(length, 0)};
    for (uint32_t v : {session, card})
        for (int shift : {24, 16, 8, 0})
            p.push_back(at(v, shift));
    p.insert(p.end(), body.begin(), body.end());
    return p;
}

Bytes packet(uint8_t kind, uint8_t endpoint, uint32_t session, const Bytes& body) {
    return packet(kind, endpoint, session, body, static_cast<uint32_t>(Rig::mac(2)),
                  static_cast<uint16_t>(body.size()));
}

class Random {
public:
    explicit Random(uint32_t seed) : engine_(seed) {}
    uint32_t operator()() { return static_cast<uint32_t>(engine_()); }

private:
    std::mt19937 engine_;
};

// Hosts 0 and 1 with cards, host 2 hostile (its packets go to host 0).
struct Attacked {
    Rig rig{Options{.hosts = 3, .raw = {2}}};
    TestEndpoint victim{rig, 0, 5}, partner{rig, 1, 6};

    void settle() {
        REQUIRE(rig.run_until([&] { return rig.raw(2).quiet(); }, milliseconds(500)));
        rig.run_for(microseconds(200));
    }
    void still_works(uint32_t seed) {
        while (victim.poll() || partner.poll()) {
        }
        partner.post_when_free(TestEndpoint::request(victim, pattern(40, seed)));
        CHECK(inline_body(victim.next()) == pattern(40, seed));
        victim.post_when_free(TestEndpoint::request(partner, pattern(39, seed)));
        CHECK(inline_body(partner.next()) == pattern(39, seed));
        rig.check_alive();
    }
};

} // namespace

TEST_CASE(
    "a hand-made good packet is taken: the raw packets of these tests are not refused for a wrong reason") {
    Attacked t;
    t.rig.raw(2).send(t.rig.now(), packet(WIRE_MESSAGE, 5, t.victim.session(), pattern(17, 1)));
    CHECK(inline_body(t.victim.next()) == pattern(17, 1));
    t.rig.raw(2).send(t.rig.now(), packet(WIRE_MESSAGE, 5, 1, pattern(17, 1)));
    t.settle();
    REQUIRE(t.rig.raw(2).received.size() == 1);
    CHECK(t.rig.raw(2).received[0][3] == WIRE_NACK);
    CHECK(t.rig.raw(2).received[0].size() == 16 + sizeof(wire_nack));
    CHECK(t.rig.raw(2).received[0][16] == WIRE_REFUSED_SESSION);
}

TEST_CASE("packets that are damaged in one thing each are counted under their own name and dropped") {
    Attacked t;
    auto sent = [&](const Bytes& bytes, fw_counter counter, const Bytes& route = {0xbe}) {
        CAPTURE(counter);
        const uint32_t before = t.rig.counter(0, counter);
        t.rig.raw(2).send(t.rig.now(), bytes, route);
        t.settle();
        CHECK(t.rig.counter(0, counter) == before + 1);
    };
    const uint32_t session = t.victim.session(), me = static_cast<uint32_t>(Rig::mac(2));
    REQUIRE(t.rig.network().route(2, 0) == Bytes{0xbe}); // port 2 to port 0: delta -2
    const Bytes good = packet(WIRE_MESSAGE, 5, session, pattern(20, 1));
    Bytes bad = good;
    bad[0] = 0x4c;
    sent(bad, FW_COUNTER_bad_type);
    bad = good;
    bad[2] = 2; // version
    sent(bad, FW_COUNTER_bad_type);
    bad = good;
    bad[3] = 9; // kind
    sent(bad, FW_COUNTER_bad_type);
    sent(good, FW_COUNTER_unstripped_route, {0xbe, 0x80});
    sent(packet(WIRE_MESSAGE, 5, session, pattern(20, 1), me, 21), FW_COUNTER_bad_length);
    sent(packet(WIRE_MESSAGE, 5, session, pattern(20, 1), me, 19), FW_COUNTER_bad_length);
    sent(packet(WIRE_MESSAGE, 5, session, pattern(20, 1), me, 65535), FW_COUNTER_bad_length);
    sent(packet(WIRE_MESSAGE, 5, session, pattern(48 + 4097, 1)), FW_COUNTER_bad_length);
    sent(packet(WIRE_MESSAGE, 5, session, pattern(45, 1)), FW_COUNTER_bad_length); // ends in the gap
    Bytes pull(sizeof(wire_pull), 1); // grant 257, which does not exist
    pull[14] = WIRE_FRAME_SHIFT_MAX;
    sent(packet(WIRE_PULL, 5, session, pull), FW_COUNTER_refused_grant);
    pull[4] = pull[5] = 0; // grant 0 with a generation that it does not have
    sent(packet(WIRE_PULL, 5, session, pull), FW_COUNTER_refused_grant);
    pull.pop_back();
    sent(packet(WIRE_PULL, 5, session, pull), FW_COUNTER_bad_length);
    sent(packet(WIRE_FRAME, 5, session, pattern(12 + 64, 1)), FW_COUNTER_frames_unwanted);
    CHECK(t.victim.silent());
    t.still_works(1);
}

TEST_CASE("packets of random bytes, of every length, never stop the firmware and reach no endpoint") {
    Attacked t;
    Random random(1);
    for (int n = 0; n < 3000; n++)
        t.rig.raw(2).send(t.rig.now(), pattern(1 + random() % (n % 10 ? 200 : 9000), random()));
    t.settle();
    CHECK(t.victim.silent());
    t.still_works(2);
}

TEST_CASE("good headers around random bodies never stop the firmware") {
    Attacked t;
    Random random(2);
    const uint32_t me = static_cast<uint32_t>(Rig::mac(2));
    for (int n = 0; n < 4000; n++) {
        Bytes body = pattern(random() % 120, random());
        for (size_t at = 0; at < body.size() && at < 16;
             at++) // small numbers hit more checks than large ones
            if (random() % 2)
                body[at] = static_cast<uint8_t>(random() % 4);
        const auto kind = static_cast<uint8_t>(random() % 7);
        const auto endpoint = static_cast<uint8_t>(random() % 4 ? 5 : random());
        const uint32_t session = random() % 8 ? t.victim.session() : random();
        const uint32_t card = random() % 4 ? me : random();
        const auto length = static_cast<uint16_t>(random() % 8 ? body.size() : random());
        t.rig.raw(2).send(t.rig.now(), packet(kind, endpoint, session, body, card, length));
        if (n % 50 == 49) {
            t.settle();
            while (t.victim.poll()) {
            }
        }
    }
    t.settle();
    t.still_works(3);
    CHECK(t.rig.counter(0, FW_COUNTER_packets_received) >= 4000);
}

TEST_CASE("every packet that arrives is counted once, and each refusal under its own name") {
    Attacked t;
    constexpr uint32_t EACH = 30;
    for (uint32_t n = 0; n < EACH; n++) {
        t.rig.raw(2).send(t.rig.now(), packet(WIRE_MESSAGE, 5, t.victim.session(), pattern(8, n)));
        t.rig.raw(2).send(t.rig.now(), packet(WIRE_MESSAGE, 5, 0, pattern(8, n)));
        t.rig.raw(2).send(t.rig.now(), packet(WIRE_MESSAGE, 6, 0, pattern(8, n)));
        t.rig.raw(2).send(t.rig.now(), packet(77, 5, t.victim.session(), pattern(8, n)));
        t.settle();
    }
    uint32_t delivered = 0;
    while (t.victim.poll())
        delivered++;
    CHECK(delivered == EACH);
    CHECK(t.rig.counter(0, FW_COUNTER_packets_received) == 4 * EACH);
    CHECK(t.rig.counter(0, FW_COUNTER_refused_session) == EACH);
    CHECK(t.rig.counter(0, FW_COUNTER_refused_closed) == EACH);
    CHECK(t.rig.counter(0, FW_COUNTER_bad_type) == EACH);
    CHECK(t.rig.counter(0, FW_COUNTER_nacks_sent) == 2 * EACH);
    CHECK(t.rig.raw(2).received.size() == 2 * EACH);
}

TEST_CASE("a stranger's packet is not answered, and a NACK or FRAME never is") {
    Attacked t;
    const uint32_t stranger = 0x12345678;
    t.rig.raw(2).send(t.rig.now(), packet(WIRE_MESSAGE, 9, 0, pattern(8, 1), stranger, 8));
    t.rig.raw(2).send(t.rig.now(), packet(WIRE_NACK, 9, 0, pattern(12, 1)));
    t.rig.raw(2).send(t.rig.now(), packet(WIRE_FRAME, 9, 0, pattern(20, 1)));
    t.settle();
    CHECK(t.rig.raw(2).received.empty());
    CHECK(t.rig.counter(0, FW_COUNTER_refused_closed) == 2); // a NACK is not refused, it only finds nobody
    CHECK(t.rig.counter(0, FW_COUNTER_nacks_received) == 1);
}

TEST_CASE("a card that floods another does not keep it from sending") {
    Attacked t;
    for (int n = 0; n < 20'000; n++)
        t.rig.raw(2).send(t.rig.now(), packet(WIRE_MESSAGE, 9, 0, pattern(4, 1)));
    t.rig.run_for(microseconds(100)); // the receive buffers fill
    REQUIRE_FALSE(t.rig.raw(2).quiet());
    t.victim.post(TestEndpoint::request(t.partner, pattern(30, 1)));
    const auto start = t.rig.now();
    CHECK(inline_body(t.partner.next(milliseconds(1))) == pattern(30, 1));
    CHECK(t.rig.now() - start < microseconds(10)); // some packets' time more than without the flood
    CHECK_FALSE(t.rig.raw(2).quiet());             // the flood was still going on
}

TEST_CASE("packets that a link damages are counted as bad and not delivered") {
    myri::emulator::FaultInjector faults(1);
    faults.set_probability(MYRI_FAULT_CORRUPT, 1);
    Rig rig({.faults = &faults});
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    for (uint32_t n = 0; n < 100; n++) {
        a.post_when_free(TestEndpoint::request(b, pattern(40, n)));
        rig.run_for(microseconds(20));
    }
    CHECK(b.silent());
    // A flipped bit in the route sends the packet elsewhere; all others arrive and are bad.
    CHECK(rig.counter(1, FW_COUNTER_bad_crc) > 80);
    CHECK(rig.counter(1, FW_COUNTER_bad_crc) == rig.counter(1, FW_COUNTER_packets_received));
}
