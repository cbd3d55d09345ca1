// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies from a slot to an event: every byte of header, body and trailer, taken from abi/ by hand.
#include <cstring>
#include <doctest/doctest.h>

#include "tests/rig/test_endpoint.h"

using namespace myri::rig;

namespace {

// Bodies above WIRE_BODY_INLINE have a gap of zeros behind their first 40 bytes.
Bytes body_with_data(const Bytes& head, const Bytes& data) {
    Bytes body = head;
    body.resize(WIRE_BODY_DATA, 0);
    body.insert(body.end(), data.begin(), data.end());
    return body;
}

void check_header(const fw_event& e, const TestEndpoint& from, const TestEndpoint& to, size_t body,
                  uint8_t kind) {
    const wire_header& h = e.u.packet.header;
    CHECK(e.type == FW_EVENT_PACKET);
    CHECK(be16_to_cpu(h.type) == WIRE_TYPE);
    CHECK(h.version == WIRE_VERSION);
    CHECK(h.kind == kind);
    CHECK(h.dst_endpoint == to.id());
    CHECK(h.src_endpoint == from.id());
    CHECK(be16_to_cpu(h.length) == body);
    CHECK(be32_to_cpu(h.dst_session) == to.session());
    CHECK(be32_to_cpu(h.src_card) == static_cast<uint32_t>(Rig::mac(from.host())));
}

} // namespace

TEST_CASE("a tiny body goes from slot to event, in both directions") {
    Rig rig;
    TestEndpoint a(rig, 0, 1), b(rig, 1, 2);
    a.post(TestEndpoint::request(b, pattern(32, 1)));
    b.post(TestEndpoint::request(a, pattern(33, 2)));
    const fw_event at_b = b.next(), at_a = a.next();
    check_header(at_b, a, b, 32, WIRE_MESSAGE);
    CHECK(inline_body(at_b) == pattern(32, 1));
    check_header(at_a, b, a, 33, WIRE_MESSAGE);
    CHECK(inline_body(at_a) == pattern(33, 2));
    CHECK(a.silent());
    CHECK(b.silent());
}

TEST_CASE("every length of an inline body arrives whole") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 31);
    for (uint32_t n = 1; n <= WIRE_BODY_INLINE; n++) {
        CAPTURE(n);
        a.post_when_free(TestEndpoint::request(b, pattern(n, n)));
        const fw_event e = b.next();
        check_header(e, a, b, n, WIRE_MESSAGE);
        CHECK(inline_body(e) == pattern(n, n));
    }
    CHECK(rig.counter(0, FW_COUNTER_packets_sent) == 40);
    CHECK(rig.counter(1, FW_COUNTER_packets_received) == 40);
}

TEST_CASE("a small message's data stands in the receive ring, for every length up to 128 bytes") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    for (uint32_t n = 1; n <= 128; n++) {
        CAPTURE(n);
        const Bytes head = pattern(40, n), data = pattern(n, n + 1000);
        a.post_when_free(TestEndpoint::request(b, body_with_data(head, data)));
        const fw_event e = b.next();
        check_header(e, a, b, 48 + n, WIRE_MESSAGE);
        CHECK(inline_body(e) == head);
        CHECK(b.take_data(e) == data);
    }
}

TEST_CASE("a message to the own card, even to the own endpoint, arrives") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 0, 1);
    a.post(TestEndpoint::request(b, pattern(20, 1)));
    CHECK(inline_body(b.next()) == pattern(20, 1));
    a.post(TestEndpoint::request(a, pattern(21, 2)));
    CHECK(inline_body(a.next()) == pattern(21, 2));
}

TEST_CASE("a CONNECT arrives whatever session it names; a MESSAGE only with the right one") {
    Rig rig;
    TestEndpoint a(rig, 0, 4), b(rig, 1, 5);
    SlotRequest r = TestEndpoint::request(b, pattern(40, 3));
    r.type = FW_SLOT_CONNECT;
    r.session = 0;
    a.post(r);
    const fw_event e = b.next();
    CHECK(e.u.packet.header.kind == WIRE_CONNECT);
    CHECK(be32_to_cpu(e.u.packet.header.dst_session) == 0);
    CHECK(inline_body(e) == pattern(40, 3));
    r.type = FW_SLOT_SEND;
    a.post(r);
    CHECK(b.silent());
    CHECK(nack_of(a.next()).reason == WIRE_REFUSED_SESSION);
}

TEST_CASE("all 32 endpoints send and receive at once, each to and from its own partner") {
    Rig rig;
    std::vector<std::unique_ptr<TestEndpoint>> a, b;
    for (unsigned n = 0; n < FW_ENDPOINTS; n++) {
        a.push_back(std::make_unique<TestEndpoint>(rig, 0, n));
        b.push_back(std::make_unique<TestEndpoint>(rig, 1, n));
    }
    for (uint32_t round = 0; round < 40; round++)
        for (unsigned n = 0; n < FW_ENDPOINTS; n++) {
            a[n]->post_when_free(TestEndpoint::request(*b[31 - n], pattern(24, round * 64 + n)));
            b[n]->post_when_free(TestEndpoint::request(*a[(n + 5) % 32], pattern(25, round * 64 + n)));
        }
    for (unsigned n = 0; n < FW_ENDPOINTS; n++)
        for (uint32_t round = 0; round < 40; round++) {
            CAPTURE(n);
            CAPTURE(round);
            CHECK(inline_body(b[31 - n]->next()) == pattern(24, round * 64 + n));
            CHECK(inline_body(a[(n + 5) % 32]->next()) == pattern(25, round * 64 + n));
        }
    rig.check_alive();
}

TEST_CASE("slots filled while the card does not run come back to their own endpoints, all of them") {
    Rig rig;
    std::vector<std::unique_ptr<TestEndpoint>> a;
    TestEndpoint b(rig, 1, 0, {.events = 4096});
    for (unsigned n = 0; n < FW_ENDPOINTS; n++)
        a.push_back(std::make_unique<TestEndpoint>(rig, 0, n));
    // The stores of all endpoints are on their way before the firmware sees the first.
    for (uint32_t slot = 0; slot < FW_SLOTS; slot++)
        for (auto& e : a)
            e->post(TestEndpoint::request(b, pattern(16, slot)));
    rig.run_for(milliseconds(5));
    for (auto& e : a) {
        CHECK(e->silent(0));
        CHECK(e->free_slots() > FW_SLOTS - 8); // fewer than a quarter may go untold
    }
    CHECK(rig.counter(1, FW_COUNTER_packets_received) == 32 * 32);
}

TEST_CASE("slots wrap for several laps and their number modulo 256 is reported rightly") {
    Rig rig;
    TestEndpoint a(rig, 0, 7), b(rig, 1, 8);
    uint32_t received = 0;
    for (uint32_t n = 0; n < 700; n++) {
        a.post_when_free(TestEndpoint::request(b, pattern(1 + n % 40, n)));
        while (auto e = b.poll()) {
            CHECK(inline_body(*e) == pattern(1 + received % 40, received));
            received++;
        }
    }
    while (received < 700) {
        CHECK(inline_body(b.next()) == pattern(1 + received % 40, received));
        received++;
    }
    CHECK(b.silent());
    CHECK(a.silent());
    CHECK(a.free_slots() > FW_SLOTS - 8);
}

TEST_CASE("slots torn into 8-byte stores in any order are never taken half-written") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    a.writer.shuffle(4711);
    for (uint32_t n = 0; n < 400; n++) {
        const Bytes data = pattern(1 + n % 128, n), head = pattern(40, n + 5000);
        a.post_when_free(TestEndpoint::request(b, body_with_data(head, data)));
        const fw_event e = b.next();
        CHECK(inline_body(e) == head);
        CHECK(b.take_data(e) == data);
    }
}

TEST_CASE("the twin: without the barrier a torn slot is taken half-written") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    a.writer.shuffle(4711);
    bool wrong = false;
    for (uint32_t n = 0; n < FW_SLOTS && !wrong; n++) {
        fw_slot slot{};
        const Bytes body = pattern(40, n);
        std::memcpy(slot.body + FW_SLOT_BODY - 40, body.data(), 40);
        slot.dst_session = cpu_to_be32(b.session());
        slot.peer = cpu_to_be16(1);
        slot.type = FW_SLOT_SEND;
        slot.length = cpu_to_be16(40);
        slot.generation = cpu_to_be16(FW_GENERATION(0, FW_SLOTS));
        a.writer.store(n * FW_SLOT_SIZE + 200, {reinterpret_cast<const uint8_t*>(&slot) + 200, 56});
        a.writer.flush(rig.now());
        rig.run_for(microseconds(100));
        const auto e = b.poll();
        wrong = !e || inline_body(*e) != body;
    }
    CHECK(wrong);
}

TEST_CASE("what another endpoint received is not in the unused bytes of an event") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), secret(rig, 1, 0), other(rig, 1, 1);
    for (int n = 0; n < 2000; n++) { // all receive buffers several times
        a.post_when_free(TestEndpoint::request(secret, Bytes(40, 0xa5)));
        secret.next();
    }
    int leaked = 0;
    for (int n = 0; n < 20; n++) {
        a.post_when_free(TestEndpoint::request(other, Bytes(1, 1)));
        const fw_event e = other.next();
        for (size_t at = 16; at < WIRE_BODY_INLINE; at++) // behind the body and its CRCs
            leaked += e.u.packet.body[at] == 0xa5;
    }
    CHECK(leaked == 0);
}
