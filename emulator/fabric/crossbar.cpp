// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fabric/crossbar.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>

#include "abi/lanai.h"

namespace myri::emulator {

namespace {

// -32..31 from the low six bits of a route byte.
int route_delta(uint8_t byte) {
    return ((byte & 0x3f) ^ 0x20) - 0x20;
}

} // namespace

struct Crossbar::Port final : Channel::Sink, Channel::Source {
    // What is being done with the packet at the front of the input's buffer.
    enum class Front { none, routing, waiting, forwarding, absorbing };
    struct Entry {
        FlightPtr flight;
        uint32_t length = 0;
        Time routable_at = 0;
        bool complete = false;
    };

    Port(Crossbar& of, unsigned number_in_crossbar, unsigned number_in_fabric)
        : crossbar(of), number(number_in_crossbar),
          rank(fabric_rank(FabricPhase::crossbar, number_in_fabric)) {}

    // Sink
    void flight_head(Time, const FlightPtr&, uint32_t length) override;
    void flight_paused(Time, uint32_t bytes) override;
    void flight_resumed(Time) override;
    void flight_tail(Time, const FlightPtr&, uint32_t length) override;
    // Source
    void flight_sent(Time, const FlightPtr&) override;
    void rate_changed(Time now) override {
        if (user)
            user->watch_fill(now);
    }

    uint32_t received(Time now) const; // of the packet that is coming in
    int64_t fill(Time now) const;
    bool front_is_coming_in() const { return !buffer.empty() && !buffer.front().complete; }
    void new_front(Time now);
    void route(Time now);
    void forward(Time now);
    void drop_front(Time now);
    void watch_fill(Time now);

    Crossbar& crossbar;
    const unsigned number;
    const Rank rank;
    Channel *in = nullptr, *out = nullptr; // null: no cable
    CrossbarPortCounters count;

    // Input. Only the last packet of the buffer can be incomplete.
    std::deque<Entry> buffer;
    uint64_t complete_bytes = 0; // of the complete packets in it
    bool receiving = false;
    Time run_start = 0;
    uint32_t run_base = 0;
    Front front = Front::none;
    Port* target = nullptr; // output of the packet at the front
    bool stopping = false;
    Scheduler::EventId fill_event;

    // Output
    Port* user = nullptr; // input whose packet is being sent
    unsigned turn = 0;    // input that is asked first
};

uint32_t Crossbar::Port::received(Time now) const {
    if (!receiving)
        return run_base;
    Time bytes = run_base + (now - run_start) / crossbar.parameters_.byte_time();
    return static_cast<uint32_t>(std::min<Time>(bytes, buffer.back().length));
}

int64_t Crossbar::Port::fill(Time now) const {
    if (buffer.empty())
        return 0;
    auto bytes = static_cast<int64_t>(complete_bytes);
    if (!buffer.back().complete && !(front_is_coming_in() && front == Front::absorbing))
        bytes += received(now);
    if (front == Front::waiting || front == Front::forwarding)
        bytes -= 1; // the route byte is gone
    if (front == Front::forwarding)
        bytes -= target->out->sent(now);
    return bytes;
}

void Crossbar::Port::flight_head(Time now, const FlightPtr& flight, uint32_t length) {
    buffer.push_back({flight, length, now + crossbar.parameters_.crossbar_time(), false});
    receiving = true;
    run_start = now;
    run_base = 0;
    if (buffer.size() == 1)
        new_front(now);
    watch_fill(now);
}

void Crossbar::Port::flight_paused(Time now, uint32_t bytes) {
    receiving = false;
    run_base = bytes;
    if (front_is_coming_in() && front == Front::forwarding)
        target->out->set_available(now, bytes - 1);
    watch_fill(now);
}

void Crossbar::Port::flight_resumed(Time now) {
    receiving = true;
    run_start = now;
    if (front_is_coming_in() && front == Front::forwarding)
        target->out->set_available(now, Channel::ALL);
    watch_fill(now);
}

void Crossbar::Port::flight_tail(Time now, const FlightPtr&, uint32_t length) {
    receiving = false;
    run_base = 0;
    ++count.packets_in;
    count.bytes_in += length;
    complete_bytes += length;
    bool at_front = front_is_coming_in();
    buffer.back().complete = true;
    if (at_front && front == Front::absorbing)
        drop_front(now);
    watch_fill(now);
}

void Crossbar::Port::new_front(Time now) {
    front = Front::routing;
    Time when = buffer.front().routable_at;
    if (when <= now)
        route(now);
    else
        crossbar.scheduler_.at(when, rank, [this](Time t) {
            route(t);
            watch_fill(t);
        });
}

void Crossbar::Port::route(Time now) {
    Flight& flight = *buffer.front().flight;
    Packet& packet = *flight.packet;
    const uint32_t place = packet.route_used;
    const uint8_t byte = place < packet.bytes.size() ? packet.bytes[place] : 0;
    const int output = static_cast<int>(number) + route_delta(byte);
    if (!(byte & LANAI_ROUTE_BIT) || output < 0 || output >= static_cast<int>(crossbar.ports_.size()) ||
        !crossbar.ports_[static_cast<size_t>(output)]->out) {
        ++count.dead_routes;
        crossbar.absorbed_(now, packet);
        front = Front::absorbing;
        if (buffer.front().complete)
            drop_front(now);
        return;
    }
    const uint8_t residue = flight.checked ? crc8_residue(packet, flight.trailer) : uint8_t{0};
    ++packet.route_used;
    if (flight.checked)
        flight.trailer.crc8 = crc8_forwarded(packet, flight.trailer, residue);
    target = crossbar.ports_[static_cast<size_t>(output)].get();
    front = Front::waiting;
    if (!target->user)
        crossbar.arbitrate(now, *target);
}

void Crossbar::Port::forward(Time now) {
    front = Front::forwarding;
    target->user = this;
    uint32_t available = Channel::ALL;
    if (front_is_coming_in() && !receiving)
        available = run_base - 1;
    target->out->start(now, buffer.front().flight, available);
    watch_fill(now);
}

void Crossbar::Port::drop_front(Time now) {
    complete_bytes -= buffer.front().length;
    buffer.pop_front();
    front = Front::none;
    target = nullptr;
    if (!buffer.empty())
        new_front(now);
}

void Crossbar::Port::flight_sent(Time now, const FlightPtr&) {
    ++count.packets_out;
    Port& input = *user;
    count.bytes_out += input.buffer.front().length - 1;
    // The output counts as taken until the input's next packet is in line, so that it has to wait for its
    // turn.
    input.drop_front(now);
    user = nullptr;
    input.watch_fill(now);
    crossbar.arbitrate(now, *this);
}

// Sends STOP or GO if it is due, and plans to look again when the buffer's level will have crossed the mark.
void Crossbar::Port::watch_fill(Time now) {
    crossbar.scheduler_.cancel(fill_event);
    const FabricParameters& parameters = crossbar.parameters_;
    const int64_t level = fill(now);
    // The model's own check: -1 is a byte that is counted as sent while it still comes in.
    if (level < -1 || level > parameters.slack_bytes)
        throw std::logic_error("crossbar input " + std::to_string(number) + " holds " +
                               std::to_string(level) + " bytes of " + std::to_string(parameters.slack_bytes));
    if (level > static_cast<int64_t>(count.fullest))
        count.fullest = static_cast<uint64_t>(level);
    if (!stopping && level >= parameters.stop_at) {
        stopping = true;
        ++count.stops_sent;
        in->set_stop(now, true);
    } else if (stopping && level <= parameters.go_at) {
        stopping = false;
        in->set_stop(now, false);
    }
    const bool rising = receiving && !(front_is_coming_in() && front == Front::absorbing);
    const bool falling = front == Front::forwarding && target->out->running();
    auto look_again = [this](Time t) { watch_fill(t); };
    if (rising && !falling && !stopping) {
        const uint64_t mark = received(now) + static_cast<uint64_t>(parameters.stop_at - level);
        if (mark <= buffer.back().length)
            fill_event = crossbar.scheduler_.at(run_start + (mark - run_base) * parameters.byte_time(), rank,
                                                look_again);
    } else if (falling && !rising && stopping) {
        const uint64_t mark = target->out->sent(now) + static_cast<uint64_t>(level - parameters.go_at);
        if (mark < buffer.front().length - 1) // a whole packet gone is looked at anyway
            fill_event =
                crossbar.scheduler_.at(target->out->sent_at(static_cast<uint32_t>(mark)), rank, look_again);
    }
}

Crossbar::Crossbar(Scheduler& scheduler, const FabricParameters& parameters, unsigned ports,
                   unsigned first_number, AbsorbHandler absorbed)
    : scheduler_(scheduler), parameters_(parameters), absorbed_(std::move(absorbed)) {
    // The route byte and one byte behind it must have come before the first byte can go out.
    if (parameters_.crossbar_time() < 2 * parameters_.byte_time())
        throw std::runtime_error("crossbar_ns is " + std::to_string(parameters_.crossbar_ns) +
                                 "; it must be at least two byte times");
    if (parameters_.go_at >= parameters_.stop_at)
        throw std::runtime_error("go_at is " + std::to_string(parameters_.go_at) +
                                 "; it must be below stop_at, " + std::to_string(parameters_.stop_at));
    for (unsigned i = 0; i < ports; ++i)
        ports_.push_back(std::make_unique<Port>(*this, i, first_number + i));
}

Crossbar::~Crossbar() = default;

Crossbar::Port& Crossbar::port(unsigned number) const {
    if (number >= ports_.size())
        throw std::out_of_range("crossbar port " + std::to_string(number) + ", there are " +
                                std::to_string(ports_.size()));
    return *ports_[number];
}

Channel::Source& Crossbar::output(unsigned number) {
    return port(number);
}
Channel::Sink& Crossbar::input(unsigned number) {
    return port(number);
}

void Crossbar::connect(unsigned number, Channel& out, Channel& in) {
    port(number).out = &out;
    port(number).in = &in;
}

CrossbarPortCounters Crossbar::counters(unsigned number, Time now) const {
    CrossbarPortCounters counters = port(number).count;
    if (port(number).out)
        counters.stopped = port(number).out->stopped_time(now);
    return counters;
}

void Crossbar::arbitrate(Time now, Port& output) {
    for (unsigned i = 0; i < ports_.size(); ++i) {
        Port& input = *ports_[(output.turn + i) % ports_.size()];
        if (input.front == Port::Front::waiting && input.target == &output) {
            output.turn = (input.number + 1) % static_cast<unsigned>(ports_.size());
            input.forward(now);
            return;
        }
    }
}

} // namespace myri::emulator
