// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fabric/host_port.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace myri::emulator {

HostPort::HostPort(Scheduler& scheduler, unsigned host, Channel& out, Channel& in, FaultInjector* faults)
    : scheduler_(scheduler), host_(host), out_(out), in_(in), faults_(faults) {}

HostPortCounters HostPort::counters(Time now) const {
    HostPortCounters counters = count_;
    counters.stopped = out_.stopped_time(now);
    return counters;
}

void HostPort::send(Time now, PacketPtr packet) {
    if (sending_)
        throw std::logic_error("host " + std::to_string(host_) +
                               " sends a packet before the last one has left");
    if (packet->route_used != 0 || packet->route_length > packet->bytes.size())
        throw std::logic_error("host " + std::to_string(host_) + " sends a packet of " +
                               std::to_string(packet->bytes.size()) + " bytes with route_length " +
                               std::to_string(packet->route_length) + " and route_used " +
                               std::to_string(packet->route_used));
    sending_ = true;
    // Always an event, so that the order of things does not depend on how far the card has been run ahead.
    scheduler_.at(now, fabric_rank(FabricPhase::host_send, host_),
                  [this, packet = std::move(packet)](Time t) { begin(t, packet); });
}

void HostPort::begin(Time now, const PacketPtr& packet) {
    ++count_.packets_out;
    count_.bytes_out += packet->wire_length();
    auto flight = std::make_shared<Flight>();
    flight->packet = flight->sender = packet;
    if (check_all_) {
        flight->checked = true;
        flight->trailer = make_trailer(*packet);
    }
    queue_.push_back(flight);
    if (faults_) {
        // A packet that another fault has hit keeps that one's id, so no second one may hit it.
        using Permit = FaultInjector::Permit;
        Permit permit = packet->fault_id || !up_ ? Permit::none : reordering_ ? Permit::no_reorder : Permit::any;
        if (auto fault = faults_->decide_link(host_, permit))
            inject(fault, flight);
    }
    send_next(now);
}

void HostPort::inject(const FaultInjector::Decision& fault, const FlightPtr& flight) {
    auto copy = std::make_shared<Packet>(*flight->packet);
    copy->fault_id = fault.fault_id;
    switch (fault.kind) {
    case MYRI_FAULT_DROP:
        flight->vanishes = true;
        faults_->end(fault.fault_id, Fate::lost);
        break;
    case MYRI_FAULT_DUPLICATE:
    case MYRI_FAULT_REORDER: {
        auto extra = std::make_shared<Flight>(*flight);
        extra->packet = std::move(copy);
        extra->sender = nullptr;
        if (fault.kind == MYRI_FAULT_DUPLICATE) {
            queue_.push_back(std::move(extra));
        } else {
            flight->vanishes = reordering_ = true;
            flight->held = std::move(extra);
        }
        break;
    }
    case MYRI_FAULT_CORRUPT:
        flight->trailer = make_trailer(*copy);
        flight->checked = true;
        flip_bit(*copy, flight->trailer, fault.where % (uint64_t{8} * copy->wire_length()));
        flight->packet = std::move(copy);
        break;
    default:
        throw std::logic_error(std::string("the fault ") + fault_name(fault.kind) + " is not one of links");
    }
}

void HostPort::send_next(Time now) {
    if (queue_.empty() || !out_.idle())
        return;
    FlightPtr next = std::move(queue_.front());
    queue_.pop_front();
    if (!up_ && !next->vanishes) {
        next->vanishes = true;
        lose(*next->packet);
    }
    out_.start(now, std::move(next));
}

void HostPort::lose(const Packet& packet) {
    if (faults_)
        faults_->end(packet.fault_id, Fate::lost);
}

void HostPort::set_up(Time now, bool up) {
    if (up_ == up)
        return;
    up_ = up;
    if (client_)
        client_->link_changed(now, up);
}

void HostPort::flight_sent(Time now, const FlightPtr& flight) {
    if (flight->held) {
        held_ = std::exchange(flight->held, nullptr);
        held_event_ = scheduler_.at(now + REORDER_LIMIT, fabric_rank(FabricPhase::host_send, host_),
                                    [this](Time t) { release_held(t); });
    } else if (held_ && !flight->vanishes) {
        scheduler_.cancel(held_event_);
        release_held(now);
    }
    send_next(now);
    if (flight->sender) {
        sending_ = false;
        if (client_)
            client_->packet_sent(now, flight->sender);
    }
}

void HostPort::release_held(Time now) {
    reordering_ = false;
    queue_.push_front(std::exchange(held_, nullptr));
    send_next(now);
}

void HostPort::stop_arrived(Time now, bool stop) {
    if (client_)
        client_->stop_changed(now, stop);
}

void HostPort::flight_head(Time now, const FlightPtr& flight, uint32_t) {
    Packet& packet = *flight->packet;
    // A packet that lost more than its route to crossbars has lost part of what its CRC-32 covers.
    if (!flight->checked && packet.route_used > packet.route_length) {
        packet.crc32_bad = !crc32_agrees(packet, make_trailer(packet));
    } else if (flight->checked) {
        packet.crc8_bad = crc8_residue(packet, flight->trailer) != 0;
        packet.crc32_bad = !crc32_agrees(packet, flight->trailer);
    }
    receiving_ = client_ && up_;
    if (receiving_)
        client_->packet_head(now, flight->packet);
}

void HostPort::flight_tail(Time now, const FlightPtr& flight, uint32_t length) {
    if (client_ && !receiving_)
        return lose(*flight->packet);
    ++count_.packets_in;
    count_.bytes_in += length;
    if (client_)
        client_->packet_tail(now, flight->packet);
    else if (faults_)
        faults_->end(flight->packet->fault_id, Fate::unroutable);
}

} // namespace myri::emulator
