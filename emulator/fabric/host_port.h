// SPDX-License-Identifier: BSD-3-Clause
//
// The fabric's side of a card's port: sends the card's packets over its cable, with the faults that hit them
// there, and gives arriving ones to the card.
//
// A dropped or held-back packet takes its time on the wire like any other, so the sending card sees nothing
// unusual. A packet that is held back goes out behind the next one, or alone after REORDER_LIMIT. From send()
// on a packet belongs to the fabric, until it arrives.
#pragma once

#include <cstdint>
#include <deque>

#include "emulator/fabric/channel.h"
#include "emulator/fabric/fault_injector.h"
#include "emulator/fabric/link_port.h"

namespace myri::emulator {

inline constexpr Time REORDER_LIMIT = microseconds(20);

struct HostPortCounters {
    uint64_t packets_out = 0, bytes_out = 0; // given by the card, wire bytes
    uint64_t packets_in = 0, bytes_in = 0;   // arrived completely
    Time stopped = 0;                        // how long the card was stopped by its peer
};

class HostPort final : public LinkPort, public Channel::Source, public Channel::Sink {
public:
    // `faults` may be null.
    HostPort(Scheduler& scheduler, unsigned host, Channel& out, Channel& in, FaultInjector* faults);
    void set_lookahead(Time lookahead) { lookahead_ = lookahead; }
    void set_check_all(bool on) { check_all_ = on; }
    HostPortCounters counters(Time now) const;

    // LinkPort
    void attach(Client& client) override { client_ = &client; }
    void send(Time now, PacketPtr packet) override;
    void set_stop(Time now, bool stop) override { in_.set_stop(now, stop); }
    bool up() const override { return up_; }
    void set_up(Time now, bool up) override;
    Time lookahead() const override { return lookahead_; }
    // Channel::Source
    void flight_sent(Time, const FlightPtr&) override;
    void stop_arrived(Time, bool) override;
    // Channel::Sink
    void flight_head(Time, const FlightPtr&, uint32_t length) override;
    void flight_paused(Time, uint32_t) override {}
    void flight_resumed(Time) override {}
    void flight_tail(Time, const FlightPtr&, uint32_t length) override;

private:
    void begin(Time now, const PacketPtr& packet);
    void inject(const FaultInjector::Decision& fault, const FlightPtr& flight);
    void send_next(Time now);
    void lose(const Packet& packet);
    void release_held(Time now);

    Scheduler& scheduler_;
    const unsigned host_;
    Channel &out_, &in_;
    FaultInjector* const faults_;
    Client* client_ = nullptr;
    Time lookahead_ = 0;
    bool check_all_ = false;
    bool up_ = true;
    bool receiving_ = false;  // the card has heard of the head of a packet
    bool sending_ = false;    // the card waits for packet_sent()
    bool reordering_ = false; // a packet is on its way into held_, or there
    std::deque<FlightPtr> queue_;
    FlightPtr held_;
    Scheduler::EventId held_event_;
    HostPortCounters count_;
};

} // namespace myri::emulator
