// SPDX-License-Identifier: BSD-3-Clause
//
// An open endpoint with rings in plain memory, used as the library will use it, written from abi/firmware.h
// alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tests/rig/rig.h"
#include "tests/rig/slot_writer.h"

namespace myri::rig {

struct RingSizes {
    uint32_t events = 256, receive = 64u << 10, send = 64u << 10;
};

class TestEndpoint {
public:
    // Opens it; the session is made from host and id unless given.
    TestEndpoint(Rig& rig, unsigned host, unsigned id, RingSizes sizes = {},
                 std::optional<uint32_t> session = {});
    ~TestEndpoint();
    TestEndpoint(const TestEndpoint&) = delete;
    // Closes it; its memory is gone from the bus afterwards.
    void close();

    unsigned host() const { return host_; }
    unsigned id() const { return id_; }
    uint32_t session() const { return session_; }

    // A request for `to`; other fields are the caller's.
    static SlotRequest request(const TestEndpoint& to, Bytes body);
    // Writes the next slot now.
    void post(const SlotRequest& request);
    // The same, once there is a free slot; events met on the way are kept for next().
    void post_when_free(const SlotRequest& request);

    // The next event, if it is in the ring.
    std::optional<fw_event> poll();
    // Runs until there is one; throws after `limit`. SLOTS events are passed over.
    fw_event next(Time limit = milliseconds(5));
    // True if no event other than SLOTS comes for so long.
    bool silent(Time duration = microseconds(200));
    // Tells the card what has been read: all events polled so far and the receive ring up to `position`.
    void publish() { publish(read_, receive_read_); }
    void publish(uint32_t events, uint32_t position);
    bool auto_publish = true; // with each poll that found an event

    uint32_t events_read() const { return read_; }
    unsigned free_slots() const { return FW_SLOTS - (writer.posted() - slots_done_); }
    // Data of a packet event, copied from the receive ring, which is then free up to its end.
    Bytes take_data(const fw_event& event);
    std::span<uint8_t> event_ring() { return events_; }
    std::span<uint8_t> receive_ring() { return receive_; }
    std::span<uint8_t> send_ring() { return send_; }
    SlotWriter writer;

private:
    Time deliver(Time when, uint32_t offset, Bytes bytes);
    std::optional<fw_event> take();

    Rig& rig_;
    const unsigned host_, id_;
    const uint32_t session_;
    const RingSizes sizes_;
    Bytes events_, receive_, send_;
    uint64_t event_bus_ = 0, receive_bus_ = 0, send_bus_ = 0;
    uint32_t read_ = 0, receive_read_ = 0, slots_done_ = 0;
    std::deque<fw_event> kept_;
    bool open_ = false;
};

// Of a PACKET event: the body's inline part, as long as the header says.
Bytes inline_body(const fw_event& event);
wire_nack nack_of(const fw_event& event);
// n bytes that differ with place and seed.
Bytes pattern(size_t n, uint32_t seed);

} // namespace myri::rig
