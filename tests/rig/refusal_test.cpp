// SPDX-License-Identifier: BSD-3-Clause
//
// What the firmware refuses, from its own process and from the wire, and that everything works again
// afterwards.
#include <doctest/doctest.h>

#include "tests/rig/test_endpoint.h"

using namespace myri::rig;

namespace {

void check_nack(const fw_event& e, const TestEndpoint& at, unsigned from_host, unsigned from_endpoint,
                uint8_t reason, uint8_t kind, uint32_t session) {
    const wire_header& h = e.u.packet.header;
    CHECK(e.type == FW_EVENT_PACKET);
    CHECK(h.kind == WIRE_NACK);
    CHECK(h.dst_endpoint == at.id());
    CHECK(h.src_endpoint == from_endpoint);
    CHECK(be16_to_cpu(h.length) == sizeof(wire_nack));
    CHECK(be32_to_cpu(h.src_card) == static_cast<uint32_t>(Rig::mac(from_host)));
    const wire_nack nack = nack_of(e);
    CHECK(nack.reason == reason);
    CHECK(nack.kind == kind);
    CHECK(be32_to_cpu(nack.session) == session);
}

// 48 bytes of header and body; the data is in the send ring.
SlotRequest medium(TestEndpoint& from, const TestEndpoint& to, uint32_t offset, const Bytes& data,
                   uint32_t seed) {
    std::copy(data.begin(), data.end(), from.send_ring().begin() + offset);
    Bytes body = pattern(40, seed);
    body.resize(WIRE_BODY_DATA, 0);
    SlotRequest r = TestEndpoint::request(to, body);
    r.type = FW_SLOT_MEDIUM;
    r.length = static_cast<uint16_t>(data.size());
    r.argument = offset;
    return r;
}

} // namespace

TEST_CASE("a bad slot gives an event that says which and why, and nothing else happens") {
    Rig rig;
    TestEndpoint a(rig, 0, 3), b(rig, 1, 4);
    struct Case {
        const char* what;
        fw_slot_error error;
        SlotRequest slot;
    };
    auto slot = [&](auto change) {
        SlotRequest r = TestEndpoint::request(b, pattern(40, 1));
        change(r);
        return r;
    };
    Bytes pull(sizeof(fw_pull_request), 0xff);
    const Case cases[] = {
        {"type 0", FW_SLOT_BAD_TYPE, slot([](SlotRequest& r) { r.type = 0; })},
        {"type 6", FW_SLOT_BAD_TYPE, slot([](SlotRequest& r) { r.type = 6; })},
        {"type 255", FW_SLOT_BAD_TYPE, slot([](SlotRequest& r) { r.type = 255; })},
        {"no such peer", FW_SLOT_BAD_PEER, slot([](SlotRequest& r) { r.peer = 2; })},
        {"peer 65535", FW_SLOT_BAD_PEER, slot([](SlotRequest& r) { r.peer = 65535; })},
        {"empty body", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) { r.length = 0; })},
        {"more than the slot holds", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) { r.length = 241; })},
        {"length 65535", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) { r.length = 65535; })},
        {"long CONNECT", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) {
             r.type = FW_SLOT_CONNECT;
             r.length = 65535;
         })},
        {"MEDIUM without data", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) {
             r.type = FW_SLOT_MEDIUM;
             r.length = 0;
         })},
        {"MEDIUM too long", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) {
             r.type = FW_SLOT_MEDIUM;
             r.length = 4097;
         })},
        {"MEDIUM misaligned", FW_SLOT_BAD_RANGE, slot([](SlotRequest& r) {
             r.type = FW_SLOT_MEDIUM;
             r.argument = 32;
         })},
        {"MEDIUM across the ring's end", FW_SLOT_BAD_RANGE, slot([](SlotRequest& r) {
             r.type = FW_SLOT_MEDIUM;
             r.length = 4096;
             r.argument = (64u << 10) - 4032;
         })},
        {"MEDIUM behind the ring", FW_SLOT_BAD_RANGE, slot([](SlotRequest& r) {
             r.type = FW_SLOT_MEDIUM;
             r.argument = 64u << 10;
         })},
        {"MEDIUM far behind the ring", FW_SLOT_BAD_RANGE, slot([](SlotRequest& r) {
             r.type = FW_SLOT_MEDIUM;
             r.argument = 0xffffffc0;
         })},
        {"RETIRE of nothing", FW_SLOT_BAD_RANGE, slot([](SlotRequest& r) {
             r.type = FW_SLOT_RETIRE;
             r.body = Bytes{9, 0, 0, 0, 0, 1};
         })},
        {"RETIRE of no such pull", FW_SLOT_BAD_RANGE, slot([](SlotRequest& r) {
             r.type = FW_SLOT_RETIRE;
             r.body = Bytes{FW_RETIRE_PULL, 0, 0, FW_PULLS, 0, 1};
         })},
        {"RETIRE of no such grant", FW_SLOT_BAD_RANGE, slot([](SlotRequest& r) {
             r.type = FW_SLOT_RETIRE;
             r.body = Bytes{FW_RETIRE_GRANT, 0, 0, FW_GRANTS, 0, 1};
         })},
        {"short RETIRE", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) {
             r.type = FW_SLOT_RETIRE;
             r.body = Bytes{FW_RETIRE_GRANT, 0, 0, 0, 0};
         })},
        {"short PULL", FW_SLOT_BAD_LENGTH, slot([](SlotRequest& r) {
             r.type = FW_SLOT_PULL;
             r.body = Bytes(sizeof(fw_pull_request) - 1, 0);
         })},
        {"PULL with impossible numbers", FW_SLOT_BAD_RANGE, slot([&](SlotRequest& r) {
             r.type = FW_SLOT_PULL;
             r.body = pull;
         })},
        {"PULL of a peer that does not exist", FW_SLOT_BAD_PEER, slot([&](SlotRequest& r) {
             r.type = FW_SLOT_PULL;
             r.body = pull;
             r.peer = 512;
         })},
    };
    uint32_t count = 0;
    for (const Case& c : cases) {
        CAPTURE(c.what);
        a.post_when_free(c.slot);
        const fw_event e = a.next();
        CHECK(e.type == FW_EVENT_BAD_SLOT);
        CHECK(be32_to_cpu(e.u.brief.a) == count++);
        CHECK(be32_to_cpu(e.u.brief.b) == c.error);
    }
    CHECK(b.silent());
    CHECK(a.silent());
    CHECK(rig.counter(0, FW_COUNTER_bad_slots) == count);
    CHECK(rig.counter(0, FW_COUNTER_packets_sent) == 0);
    CHECK(rig.counter(1, FW_COUNTER_packets_received) == 0);
    a.post_when_free(TestEndpoint::request(b, pattern(40, 9)));
    CHECK(inline_body(b.next()) == pattern(40, 9));
    rig.check_alive();
}

TEST_CASE("a PULL into a window that is not registered is a bad slot") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    SlotRequest r = TestEndpoint::request(b, Bytes(sizeof(fw_pull_request), 0));
    r.type = FW_SLOT_PULL;
    r.body[3] = r.body[7] = r.body[11] = 1; // generations of pull, grant, window
    r.body[19] = 1;                         // one block
    r.body[22] = 0x10;                      // of 4096 bytes
    r.body[26] = 1;                         // 256 ms
    a.post(r);
    const fw_event e = a.next();
    CHECK(e.type == FW_EVENT_BAD_SLOT);
    CHECK(be32_to_cpu(e.u.brief.b) == FW_SLOT_BAD_WINDOW);
}

TEST_CASE("a closed endpoint and a wrong session are answered with a nack that echoes the packet") {
    Rig rig;
    TestEndpoint a(rig, 0, 1), b(rig, 1, 2);
    SlotRequest r = TestEndpoint::request(b, pattern(10, 1));
    r.session ^= 1;
    a.post(r);
    check_nack(a.next(), a, 1, 2, WIRE_REFUSED_SESSION, WIRE_MESSAGE, b.session() ^ 1);
    r.session = b.session();
    r.endpoint = 3;
    a.post(r);
    check_nack(a.next(), a, 1, 3, WIRE_REFUSED_CLOSED, WIRE_MESSAGE, b.session());
    r.type = FW_SLOT_CONNECT;
    a.post(r);
    check_nack(a.next(), a, 1, 3, WIRE_REFUSED_CLOSED, WIRE_CONNECT, b.session());
    r.endpoint = 200;
    a.post(r);
    check_nack(a.next(), a, 1, 200, WIRE_REFUSED_CLOSED, WIRE_CONNECT, b.session());
    b.close();
    r = TestEndpoint::request(b, pattern(10, 2));
    a.post(r);
    check_nack(a.next(), a, 1, 2, WIRE_REFUSED_CLOSED, WIRE_MESSAGE, b.session());
    CHECK(rig.counter(1, FW_COUNTER_refused_session) == 1);
    CHECK(rig.counter(1, FW_COUNTER_refused_closed) == 4);
    CHECK(rig.counter(1, FW_COUNTER_nacks_sent) == 5);
    CHECK(rig.counter(0, FW_COUNTER_nacks_received) == 5);
}

TEST_CASE(
    "an endpoint opened again has another session: the old one's packets are refused, its slots are new") {
    Rig rig;
    TestEndpoint a(rig, 0, 0);
    auto b = std::make_unique<TestEndpoint>(rig, 1, 9);
    const SlotRequest old = TestEndpoint::request(*b, pattern(8, 1));
    for (int n = 0; n < 5; n++)
        b->post(TestEndpoint::request(a, pattern(8, 2)));
    rig.run_for(microseconds(100));
    b->close();
    TestEndpoint again(rig, 1, 9, {}, 77);
    a.post(old);
    while (true) {
        const fw_event e = a.next();
        if (e.u.packet.header.kind != WIRE_NACK)
            continue;
        check_nack(e, a, 1, 9, WIRE_REFUSED_SESSION, WIRE_MESSAGE, old.session);
        break;
    }
    CHECK(again.silent());
    again.post(TestEndpoint::request(a, pattern(12, 3)));
    CHECK(inline_body(a.next()) == pattern(12, 3));
}

TEST_CASE("a full event ring refuses and counts, overwrites nothing, and works again after consumption") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0, {.events = 64});
    b.auto_publish = false;
    for (uint32_t n = 0; n < 70; n++)
        a.post_when_free(TestEndpoint::request(b, pattern(20, n)));
    for (int n = 0; n < 6; n++)
        check_nack(a.next(), a, 1, 0, WIRE_REFUSED_FULL, WIRE_MESSAGE, b.session());
    CHECK(a.silent());
    CHECK(rig.counter(1, FW_COUNTER_refused_full) == 6);
    for (uint32_t n = 0; n < 64; n++)
        CHECK(inline_body(b.next()) == pattern(20, n));
    CHECK_FALSE(b.poll());
    b.publish();
    for (uint32_t n = 0; n < 64; n++) {
        a.post_when_free(TestEndpoint::request(b, pattern(21, n)));
        CHECK(inline_body(b.next()) == pattern(21, n));
    }
    a.post_when_free(TestEndpoint::request(b, pattern(22, 1)));
    check_nack(a.next(), a, 1, 0, WIRE_REFUSED_FULL, WIRE_MESSAGE, b.session());
}

TEST_CASE("nonsense in the consumer counts harms only its own endpoint") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0, {.events = 64}), c(rig, 1, 1);
    b.auto_publish = false;
    for (uint32_t nonsense : {65u, 0x80000000u, 0xffffff00u}) {
        b.publish(nonsense, nonsense);
        for (uint32_t n = 0; n < 80; n++) {
            a.post_when_free(TestEndpoint::request(b, pattern(20, n)));
            while (a.poll()) {
            }
        }
        a.post_when_free(TestEndpoint::request(c, pattern(30, nonsense)));
        CHECK(inline_body(c.next()) == pattern(30, nonsense));
    }
    rig.check_alive();
}

TEST_CASE("medium data goes from send ring to receive ring, past the end of both, unchanged") {
    Rig rig;
    TestEndpoint a(rig, 0, 0, {.send = 16u << 10}), b(rig, 1, 0, {.receive = 16u << 10});
    uint32_t offset = 0;
    for (uint32_t n = 0; n < 60; n++) {
        const uint32_t sizes[] = {1, 63, 64, 65, 1000, 2048, 4095, 4096};
        const Bytes data = pattern(sizes[n % 8], n);
        if (offset + data.size() > 16u << 10)
            offset = 0;
        a.post_when_free(medium(a, b, offset, data, n + 100));
        offset += static_cast<uint32_t>((data.size() + 63) / 64 * 64);
        const fw_event e = b.next();
        CAPTURE(n);
        CHECK(be16_to_cpu(e.u.packet.header.length) == 48 + data.size());
        CHECK(inline_body(e) == pattern(40, n + 100));
        CHECK(b.take_data(e) == data);
    }
    CHECK(a.silent());
}

TEST_CASE("tiny messages behind a medium one do not overtake it") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    for (uint32_t n = 0; n < 20; n++) {
        a.post_when_free(medium(a, b, n % 2 * 4096, pattern(4096, n), n));
        a.post_when_free(TestEndpoint::request(b, pattern(5, n)));
        const fw_event first = b.next(), second = b.next();
        CHECK(inline_body(first) == pattern(40, n));
        CHECK(b.take_data(first) == pattern(4096, n));
        CHECK(inline_body(second) == pattern(5, n));
    }
}

TEST_CASE("a full receive ring refuses, what stands in it stays, and it works again after consumption") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0, {.receive = 16u << 10});
    b.auto_publish = false;
    for (uint32_t n = 0; n < 4; n++)
        a.post(medium(a, b, n * 4096, pattern(4096, n), n));
    std::vector<fw_event> events;
    for (uint32_t n = 0; n < 4; n++)
        events.push_back(b.next());
    a.post(medium(a, b, 4 * 4096, pattern(1, 4), 4));
    check_nack(a.next(), a, 1, 0, WIRE_REFUSED_FULL, WIRE_MESSAGE, b.session());
    CHECK(rig.counter(1, FW_COUNTER_refused_full) == 1);
    a.post(TestEndpoint::request(b, pattern(9, 9))); // needs no room in it
    CHECK(inline_body(b.next()) == pattern(9, 9));
    for (uint32_t n = 0; n < 4; n++)
        CHECK(b.take_data(events[n]) == pattern(4096, n));
    b.publish();
    a.post(medium(a, b, 4 * 4096, pattern(4096, 5), 5));
    CHECK(b.take_data(b.next()) == pattern(4096, 5));
}

TEST_CASE("an unread event raises the interrupt after the time the process asked for, and only then") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 6);
    std::vector<unsigned> woken;
    myri::emulator::Time when = 0;
    rig.host(1).set_wake_handler([&](myri::emulator::Time t, unsigned endpoint) {
        woken.push_back(endpoint);
        when = t;
    });
    a.post(TestEndpoint::request(b, pattern(4, 1))); // wake_after is NEVER
    b.next();
    rig.run_for(milliseconds(5));
    CHECK(woken.empty());
    const be32 one_ms[2] = {cpu_to_be32(1000), {}};
    b.writer.store(offsetof(fw_endpoint_window, wake_after_us),
                   {reinterpret_cast<const uint8_t*>(one_ms), 8});
    b.writer.flush(rig.now());
    const auto start = rig.now();
    a.post(TestEndpoint::request(b, pattern(4, 2)));
    rig.run_for(milliseconds(3));
    REQUIRE(woken == std::vector<unsigned>{6});
    CHECK(when >= start + milliseconds(1));
    CHECK(when < start + milliseconds(2));
    b.next(); // read at once: no interrupt
    a.post(TestEndpoint::request(b, pattern(4, 3)));
    b.next();
    rig.run_for(milliseconds(3));
    CHECK(woken.size() == 1);
}
