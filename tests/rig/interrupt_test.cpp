// SPDX-License-Identifier: BSD-3-Clause
//
// How the firmware reaches its host: MSI behind the events it announces, and the last word of a firmware that stops.
#include <cerrno>
#include <doctest/doctest.h>
#include <functional>

#include "tests/rig/test_endpoint.h"

using namespace myri::rig;
using myri::emulator::Time;

namespace {

// Where the system wants its message: notes each store, and what `look` sees then.
struct Doorbell {
    struct Message {
        uint64_t offset;
        Bytes bytes;
        uint32_t seen;
    };
    struct Range : myri::emulator::BusRange {
        explicit Range(Doorbell& d) : doorbell(d) {}
        bool read(Time, uint64_t, std::span<uint8_t>) override { return false; }
        bool write(Time, uint64_t offset, std::span<const uint8_t> in) override {
            if (!in.empty()) // the bus asks first whether anybody is there
                doorbell.messages.push_back({offset, Bytes(in.begin(), in.end()), doorbell.look ? doorbell.look() : 0});
            return true;
        }
        Doorbell& doorbell;
    };
    Doorbell(Rig& rig, unsigned host) : bus(rig.host(host).memory().add(4096, std::make_shared<Range>(*this))) {}
    const uint64_t bus;
    std::function<uint32_t()> look;
    std::vector<Message> messages;
};

constexpr uint32_t DATA = 0x12345678;
const Bytes DATA_ON_THE_BUS{0x78, 0x56, 0x34, 0x12};

uint32_t events_there(TestEndpoint& e) {
    uint32_t n = 0;
    for (size_t at = 0; at < e.event_ring().size(); at += FW_EVENT_SIZE)
        n += e.event_ring()[at + FW_EVENT_SIZE - 2] == 0x80; // the high byte of a first lap's generation
    return n;
}

void wake_at_once(Rig& rig, TestEndpoint& e) {
    const uint8_t now[8] = {};
    e.writer.store(offsetof(fw_endpoint_window, wake_after_us), now);
    e.writer.flush(rig.now());
}

uint32_t request_interrupt_bit(Rig& rig, unsigned host) {
    return rig.host(host).card().bar_read32(rig.now(), LANAI_BAR0_SPECIAL + LANAI_ISR) & LANAI_ISR_REQ_ACK_0;
}

} // namespace

TEST_CASE("a command's end is told by one little-endian word at the MSI's address, and REQ_ACK_0 stays clear") {
    Rig rig({.hosts = 1});
    Doorbell doorbell(rig, 0);
    board_msi_set(rig.board(0), true, doorbell.bus + 0x40, DATA);
    const uint32_t count = 0;
    REQUIRE(board_command_start(rig.board(0), FW_COMMAND_PEERS, &count, 1) == 0);
    REQUIRE(rig.run_until([&] { return !doorbell.messages.empty(); }, milliseconds(1)));
    rig.run_for(milliseconds(1));
    REQUIRE(doorbell.messages.size() == 1);
    CHECK(doorbell.messages[0].offset == 0x40);
    CHECK(doorbell.messages[0].bytes == DATA_ON_THE_BUS);
    int result = 99;
    uint32_t value;
    CHECK(board_command_finished(rig.board(0), &result, &value));
    CHECK(result == 0);
    CHECK(request_interrupt_bit(rig, 0) == 0);

    // Moved, and then off: the interrupt line again.
    board_msi_set(rig.board(0), true, doorbell.bus + 0x80, 1);
    REQUIRE(board_command_start(rig.board(0), FW_COMMAND_PEERS, &count, 1) == 0);
    rig.run_for(milliseconds(1));
    REQUIRE(doorbell.messages.size() == 2);
    CHECK(doorbell.messages[1].offset == 0x80);
    CHECK(board_command_finished(rig.board(0), &result, &value));
    board_msi_set(rig.board(0), false, 0, 0);
    CHECK(rig.command(0, FW_COMMAND_PEERS, {0}) == 0);
    CHECK(doorbell.messages.size() == 2);
}

TEST_CASE("an MSI comes behind all the events that it announces") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    Doorbell doorbell(rig, 1);
    doorbell.look = [&] { return events_there(b); };
    board_msi_set(rig.board(1), true, doorbell.bus, DATA);
    b.auto_publish = false;
    wake_at_once(rig, b);
    for (unsigned i = 1; i <= 5; i++) {
        CAPTURE(i);
        a.post(TestEndpoint::request(b, pattern(4, i)));
        REQUIRE(rig.run_until([&] { return doorbell.messages.size() == i; }, milliseconds(2)));
        CHECK(doorbell.messages.back().seen == i);
        CHECK(board_endpoint_wake_count(rig.board(1), 0) == i);
    }
}

TEST_CASE("a process that goes on reading is not interrupted, however much comes; one that stops is, after its patience") {
    Rig rig;
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0);
    const be32 patience[2] = {cpu_to_be32(1000), {}};
    b.writer.store(offsetof(fw_endpoint_window, wake_after_us), {reinterpret_cast<const uint8_t*>(patience), 8});
    b.writer.flush(rig.now());
    b.auto_publish = false;
    // A message each 20 us; the reader tells each 250 us how far it is: never that it has read all.
    for (unsigned i = 1; i <= 1000; i++) {
        a.post_when_free(TestEndpoint::request(b, pattern(4, i)));
        rig.run_for(microseconds(15));
        if (i % 12 == 0)
            b.publish();
        while (b.poll()) {
        }
        rig.run_for(microseconds(5));
    }
    CHECK(board_endpoint_wake_count(rig.board(1), 0) == 0);
    b.publish();
    rig.run_for(milliseconds(2));
    CHECK(board_endpoint_wake_count(rig.board(1), 0) == 0);

    const Time before = rig.now();
    a.post_when_free(TestEndpoint::request(b, pattern(4, 0)));
    REQUIRE(rig.run_until([&] { return board_endpoint_wake_count(rig.board(1), 0) == 1; }, milliseconds(3)));
    CHECK(rig.now() - before >= milliseconds(1));
    CHECK(rig.now() - before < microseconds(1600)); // the tick is 250 us
}

TEST_CASE("an MSI that finds the channel full goes out when there is room") {
    Rig rig({.hosts = 3});
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0, {.events = 1024}), c(rig, 2, 0);
    Doorbell doorbell(rig, 1);
    board_msi_set(rig.board(1), true, doorbell.bus, DATA);
    Bytes memory(2 * FW_DMABENCH_MAX);
    const uint64_t bus = rig.host(1).memory().add(memory.size(), std::make_shared<myri::emulator::PlainRange>(memory));
    // The benchmark's long bursts leave so little of the bus to events that their channel is full when it ends.
    const uint32_t arguments[] = {FW_DMABENCH_BOTH, FW_DMABENCH_MAX, 4, static_cast<uint32_t>(bus >> 32),
                                  static_cast<uint32_t>(bus)};
    for (size_t round = 1; round <= 10; round++) {
        CAPTURE(round);
        REQUIRE(board_command_start(rig.board(1), FW_COMMAND_DMABENCH, arguments, 5) == 0);
        for (int n = 0; n < 4000 && doorbell.messages.size() < round; n++) {
            for (TestEndpoint* sender : {&a, &c}) {
                while (sender->poll()) {
                }
                if (sender->free_slots())
                    sender->post(TestEndpoint::request(b, pattern(8, 1)));
            }
            while (b.poll()) {
            }
            rig.run_for(nanoseconds(500));
        }
        CHECK(doorbell.messages.size() == round);
        int result;
        uint32_t value;
        CHECK(board_command_finished(rig.board(1), &result, &value));
    }
}

TEST_CASE("packets for an endpoint on hold are dropped without an answer, and taken once it is open again") {
    Rig rig;
    TestEndpoint a(rig, 0, 3);
    auto b = std::make_unique<TestEndpoint>(rig, 1, 4);
    rig.host(1).set_now(rig.now());
    rig.host(1).boot(firmware_image());
    REQUIRE(board_endpoint_hold(rig.board(1), 4) == 0);
    rig.install_peers(1, rig.peers(1));
    auto post = [&](uint8_t type, Bytes body) {
        SlotRequest r = TestEndpoint::request(*b, std::move(body));
        r.type = type;
        a.post(r);
    };
    post(FW_SLOT_SEND, pattern(40, 1));
    post(FW_SLOT_SEND, pattern(100, 1)); // the long way
    post(FW_SLOT_CONNECT, pattern(8, 1));
    CHECK(a.silent());
    CHECK(rig.counter(1, FW_COUNTER_dropped_held) == 3);
    CHECK(rig.counter(1, FW_COUNTER_refused_closed) == 0);
    CHECK(rig.counter(1, FW_COUNTER_nacks_sent) == 0);

    const uint32_t session = b->session();
    b.reset();
    TestEndpoint again(rig, 1, 4, {}, session); // as its process does when it comes back
    a.post(TestEndpoint::request(again, pattern(40, 2)));
    CHECK(inline_body(again.next()) == pattern(40, 2));
    again.close();
    REQUIRE(board_endpoint_hold(rig.board(1), 4) == 0);
    REQUIRE(board_endpoint_clear(rig.board(1), 4) == 0); // its process has died: closed for good
    REQUIRE(rig.command(1, FW_COMMAND_CLOSE, {4}) == 0);
    a.post(TestEndpoint::request(again, pattern(40, 3)));
    const fw_event refusal = a.next();
    CHECK(refusal.u.packet.header.kind == WIRE_NACK);
    CHECK(nack_of(refusal).reason == WIRE_REFUSED_CLOSED);
}

TEST_CASE("firmware that stops raises the interrupt, says why, and holds nobody up") {
    for (bool msi : {false, true}) {
        CAPTURE(msi);
        Rig rig;
        TestEndpoint a(rig, 0, 0);
        Doorbell doorbell(rig, 1);
        const uint64_t nowhere = uint64_t{0x77} << 32;
        const board_rings rings{nowhere, nowhere, nowhere, 64, 16384, 16384, 1};
        REQUIRE(board_endpoint_set(rig.board(1), 0, &rings) == 0);
        REQUIRE(rig.command(1, FW_COMMAND_OPEN, {0}) == 0);
        if (msi)
            board_msi_set(rig.board(1), true, doorbell.bus, DATA);
        CHECK(board_stopped(rig.board(1)) == nullptr);
        bool line = false;
        rig.host(1).card().set_interrupt_handler([&](Time, bool level) { line |= level; });

        SlotRequest request;
        request.peer = 1;
        request.session = 1;
        request.body = pattern(8, 1);
        a.post(request); // its event has no place to go
        REQUIRE(rig.run_until([&] { return msi ? !doorbell.messages.empty() : line; }, milliseconds(1)));
        CHECK(line == !msi);
        CHECK(doorbell.messages.size() == (msi ? 1 : 0));
        const char* why = board_stopped(rig.board(1));
        REQUIRE(why != nullptr);
        CHECK(std::string(why).find("DMA") != std::string::npos);
        board_watchdog watch{};
        CHECK(board_watch(rig.board(1), &watch, 0, 2000) == -EIO);

        for (int n = 0; n < 100; n++)
            a.post_when_free(request);
        rig.run_for(microseconds(200));
        CHECK(rig.counter(0, FW_COUNTER_packets_sent) == 101);
    }
}
