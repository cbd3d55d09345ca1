// SPDX-License-Identifier: BSD-3-Clause
//
// A cable's end in the hands of a test: sends any bytes one after another and keeps what arrives.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "emulator/fabric/link_port.h"
#include "tests/rig/slot_writer.h"

namespace myri::rig {

class RawPort final : public emulator::LinkPort::Client {
public:
    RawPort(emulator::LinkPort& port, Bytes route) : port_(port), route_(std::move(route)) {
        port_.attach(*this);
    }

    // Sends `bytes` (from the type on) with the given route, or bytes that begin with anything if it is
    // empty.
    void send(Time now, const Bytes& bytes, const Bytes& route, bool crc32 = true) {
        auto packet = std::make_shared<emulator::Packet>();
        packet->bytes = route;
        packet->bytes.insert(packet->bytes.end(), bytes.begin(), bytes.end());
        packet->route_length = static_cast<uint32_t>(route.size());
        packet->crc32 = crc32;
        packet->id = ++sent_ | uint64_t{0xffff} << 40;
        queue_.push_back(std::move(packet));
        next(now);
    }
    void send(Time now, const Bytes& bytes) { send(now, bytes, route_); }
    // Packets from the type on, without CRCs.
    std::vector<Bytes> received;
    bool quiet() const { return queue_.empty() && !sending_; }

    void packet_sent(Time now, const emulator::PacketPtr&) override {
        sending_ = false;
        next(now);
    }
    void packet_head(Time, const emulator::PacketPtr&) override {}
    void packet_tail(Time, const emulator::PacketPtr& p) override {
        received.emplace_back(p->bytes.begin() + p->route_used, p->bytes.end());
    }
    void stop_changed(Time, bool) override {}
    void link_changed(Time, bool) override {}

private:
    void next(Time now) {
        if (sending_ || queue_.empty())
            return;
        sending_ = true;
        auto packet = std::move(queue_.front());
        queue_.pop_front();
        port_.send(now, std::move(packet));
    }
    emulator::LinkPort& port_;
    const Bytes route_;
    std::deque<emulator::PacketPtr> queue_;
    uint64_t sent_ = 0;
    bool sending_ = false;
};

} // namespace myri::rig
