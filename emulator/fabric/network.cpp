// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fabric/network.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace myri::emulator {

Network::Network(Scheduler& scheduler, const Topology& topology, const FabricParameters& parameters,
                 FaultInjector* faults)
    : scheduler_(scheduler), topology_(topology), parameters_(parameters), faults_(faults) {
    topology_.check(parameters_.longest_cable_m);
    unsigned number = 0;
    for (unsigned ports : topology_.crossbars) {
        crossbars_.push_back(std::make_unique<Crossbar>(
            scheduler_, parameters_, ports, number, [this](Time, const Packet& packet) {
                if (faults_)
                    faults_->end(packet.fault_id, Fate::unroutable);
            }));
        number += ports;
    }
    hosts_.resize(topology_.hosts());

    struct Half {
        Channel::Source* source;
        Channel::Sink* sink;
    };
    auto plug_in = [&](const CableEnd& end, Channel& out, Channel& in) -> Half {
        if (end.kind == CableEnd::Kind::crossbar) {
            Crossbar& crossbar = *crossbars_[end.index];
            crossbar.connect(end.port, out, in);
            return {&crossbar.output(end.port), &crossbar.input(end.port)};
        }
        hosts_[end.index] = std::make_unique<HostPort>(scheduler_, end.index, out, in, faults_);
        return {hosts_[end.index].get(), hosts_[end.index].get()};
    };
    for (const Cable& cable : topology_.cables) {
        check_slack(cable);
        for (int direction = 0; direction < 2; ++direction)
            channels_.push_back(std::make_unique<Channel>(scheduler_, parameters_, metres(cable),
                                                          static_cast<unsigned>(channels_.size())));
        Channel& a_to_b = **(channels_.end() - 2);
        Channel& b_to_a = **(channels_.end() - 1);
        const Half a = plug_in(cable.a, a_to_b, b_to_a);
        const Half b = plug_in(cable.b, b_to_a, a_to_b);
        a_to_b.connect(*a.source, *b.sink);
        b_to_a.connect(*b.source, *a.sink);
    }
    for (unsigned host = 0; host < hosts(); ++host)
        hosts_[host]->set_lookahead(lookahead(host));
}

// Bytes go on arriving for one round trip after STOP is sent; one more may be half sent when it arrives.
void Network::check_slack(const Cable& cable) const {
    const Time round_trip = 2 * parameters_.link_latency(metres(cable));
    const Time bytes = parameters_.stop_at + round_trip / parameters_.byte_time() + 2;
    if (bytes > parameters_.slack_bytes)
        throw std::runtime_error("a cable of " + std::to_string(metres(cable)) + " m needs slack_bytes of " +
                                 std::to_string(bytes) + " with stop_at " +
                                 std::to_string(parameters_.stop_at) + "; there are " +
                                 std::to_string(parameters_.slack_bytes));
}

const Cable& Network::cable_at(const CableEnd& end) const {
    return *std::find_if(topology_.cables.begin(), topology_.cables.end(),
                         [&](const Cable& cable) { return cable.a == end || cable.b == end; });
}

// A lower bound. The fastest effect is that of STOP: it stops an output of the first crossbar, where an input
// may fill up at once and send STOP on to another card; a crossbar does not delay symbols as it delays
// packets.
Time Network::lookahead(unsigned host) const {
    const CableEnd peer = *topology_.peer(host_end(host));
    const Time own = parameters_.link_latency(metres(cable_at(host_end(host))));
    if (peer.kind == CableEnd::Kind::host)
        return own;
    Time shortest = NEVER;
    for (const Cable& cable : topology_.cables)
        for (const CableEnd& end : {cable.a, cable.b})
            if (end.kind == CableEnd::Kind::crossbar && end.index == peer.index && end != peer)
                shortest = std::min(shortest, parameters_.link_latency(metres(cable)));
    return own + (shortest == NEVER ? own : shortest); // NEVER: no other cable there, nobody to reach
}

LinkPort& Network::host_port(unsigned host) {
    if (host >= hosts_.size())
        throw std::out_of_range("host " + std::to_string(host) + ", there are " +
                                std::to_string(hosts_.size()));
    return *hosts_[host];
}

void Network::set_check_all(bool on) {
    for (auto& host : hosts_)
        host->set_check_all(on);
}

HostPortCounters Network::host_counters(unsigned host) const {
    return hosts_.at(host)->counters(scheduler_.now());
}

CrossbarPortCounters Network::crossbar_counters(unsigned crossbar, unsigned port) const {
    return crossbars_.at(crossbar)->counters(port, scheduler_.now());
}

} // namespace myri::emulator
