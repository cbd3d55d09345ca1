// SPDX-License-Identifier: BSD-3-Clause
//
// A host for tests of the fabric: sends a list of packets one after another, and records what it hears and
// when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/fabric/network.h"

namespace myri::emulator::test {

// A packet with the given route and `payload` bytes behind it: a 4-byte type and then bytes that depend on
// `id`.
inline PacketPtr make_packet(const std::vector<uint8_t>& route, size_t payload, uint64_t id,
                             bool crc32 = false) {
    auto packet = std::make_shared<Packet>();
    packet->bytes = route;
    packet->route_length = static_cast<uint32_t>(route.size());
    for (size_t i = 0; i < payload; ++i)
        packet->bytes.push_back(i < 4 ? static_cast<uint8_t>(0x11 * (i + 1))
                                      : static_cast<uint8_t>(id * 37 + i));
    packet->id = id;
    packet->crc32 = crc32;
    return packet;
}

// What arrived is what make_packet() put behind the route.
inline bool intact(const Packet& packet) {
    auto fresh = make_packet({}, packet.bytes.size() - packet.route_used, packet.id);
    return packet.route_used == packet.route_length &&
           std::equal(fresh->bytes.begin(), fresh->bytes.end(), packet.bytes.begin() + packet.route_used);
}

class RecordingHost : public LinkPort::Client {
public:
    struct Arrival {
        Time head = 0, tail = 0;
        PacketPtr packet;
    };
    struct Change {
        Time when = 0;
        bool stopped = false;
    };
    RecordingHost(Network& network, unsigned number) : port(network.host_port(number)) { port.attach(*this); }

    // Sends behind all that is queued; the first one at `now`.
    void send(Time now, PacketPtr packet) {
        queue_.push_back(std::move(packet));
        if (!busy_)
            next(now);
    }
    void packet_sent(Time now, const PacketPtr& packet) override {
        sent.push_back({0, now, packet});
        busy_ = false;
        next(now);
    }
    void packet_head(Time now, const PacketPtr& packet) override { arrivals.push_back({now, 0, packet}); }
    void packet_tail(Time now, const PacketPtr& packet) override {
        if (arrivals.back().packet == packet)
            arrivals.back().tail = now;
    }
    void stop_changed(Time now, bool stopped) override { changes.push_back({now, stopped}); }
    void link_changed(Time, bool) override {}

    LinkPort& port;
    std::vector<Arrival> arrivals, sent;
    std::vector<Change> changes;

private:
    void next(Time now) {
        if (queue_.empty())
            return;
        busy_ = true;
        PacketPtr packet = queue_.front();
        queue_.pop_front();
        port.send(now, packet);
    }
    std::deque<PacketPtr> queue_;
    bool busy_ = false;
};

// A network with a recording host at every port.
struct Fabric {
    explicit Fabric(const Topology& topology, const FabricParameters& parameters = {},
                    FaultInjector* faults = nullptr)
        : network(scheduler, topology, parameters, faults) {
        for (unsigned i = 0; i < network.hosts(); ++i)
            hosts.push_back(std::make_unique<RecordingHost>(network, i));
    }
    RecordingHost& operator[](unsigned host) { return *hosts[host]; }
    PacketPtr packet(unsigned from, unsigned to, size_t payload, uint64_t id, bool crc32 = false) const {
        return make_packet(network.route(from, to), payload, id, crc32);
    }
    // Runs all events; their number.
    size_t run() {
        size_t events = 0;
        for (; scheduler.pending() != 0; ++events)
            scheduler.run_next();
        return events;
    }

    Scheduler scheduler;
    Network network;
    std::vector<std::unique_ptr<RecordingHost>> hosts;
};

} // namespace myri::emulator::test
