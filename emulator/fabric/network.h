// SPDX-License-Identifier: BSD-3-Clause
//
// A whole fabric: builds channels, crossbars and host ports from a topology.
//
// One thread owns it, the one that owns the scheduler; it must live until the scheduler runs no more events.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/fabric/crossbar.h"
#include "emulator/fabric/fabric_parameters.h"
#include "emulator/fabric/host_port.h"
#include "emulator/fabric/topology.h"

namespace myri::emulator {

class Network {
public:
    // Throws std::runtime_error for a bad topology, and for slack buffers that could overflow on one of its
    // cables. `faults`, if given, must live as long as the network.
    Network(Scheduler& scheduler, const Topology& topology, const FabricParameters& parameters = {},
            FaultInjector* faults = nullptr);

    unsigned hosts() const { return static_cast<unsigned>(hosts_.size()); }
    LinkPort& host_port(unsigned host);
    std::vector<uint8_t> route(unsigned from, unsigned to) const { return topology_.route(from, to); }
    const Topology& topology() const { return topology_; }

    // The test mode that computes the CRCs of all packets and not only of damaged ones.
    void set_check_all(bool on);

    HostPortCounters host_counters(unsigned host) const;
    CrossbarPortCounters crossbar_counters(unsigned crossbar, unsigned port) const;

private:
    void check_slack(const Cable& cable) const;
    Time lookahead(unsigned host) const;
    double metres(const Cable& cable) const { return cable.metres > 0 ? cable.metres : parameters_.cable_m; }
    const Cable& cable_at(const CableEnd& end) const;

    Scheduler& scheduler_;
    const Topology topology_;
    const FabricParameters parameters_;
    FaultInjector* const faults_;
    std::vector<std::unique_ptr<Channel>> channels_; // two a cable: a to b, b to a
    std::vector<std::unique_ptr<Crossbar>> crossbars_;
    std::vector<std::unique_ptr<HostPort>> hosts_;
};

} // namespace myri::emulator
