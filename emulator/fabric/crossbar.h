// SPDX-License-Identifier: BSD-3-Clause
//
// A cut-through crossbar switch.
//
// Each input has a slack buffer. The first byte of the packet at its front is taken as the route: output =
// input + 6-bit two's complement number, bit 7 set. If bit 7 is clear or there is no such port or no cable in
// it, the route is dead: the packet is absorbed and counted. Otherwise the rest goes out as it comes in, one
// packet per output at a time; inputs that want the same output get it round robin. A packet that waits fills
// its input's buffer, which then stops the sender in front of it, and so on back to the sending card.
// The routing delay is a pipeline: it counts from the arrival of the head, also while an earlier packet
// leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "emulator/fabric/channel.h"

namespace myri::emulator {

struct CrossbarPortCounters {
    uint64_t packets_in = 0, bytes_in = 0;   // completely received, wire bytes on that hop
    uint64_t packets_out = 0, bytes_out = 0; // completely sent
    uint64_t dead_routes = 0;                // absorbed at this input
    uint64_t stops_sent = 0;                 // times this input stopped its peer
    uint64_t fullest = 0;                    // most bytes ever seen in the input's buffer
    Time stopped = 0;                        // how long this output was stopped by its peer
};

class Crossbar {
public:
    // Called for a packet that a dead route has absorbed.
    using AbsorbHandler = std::function<void(Time, const Packet&)>;

    // `first_number` and the ports - 1 numbers behind it are unique among crossbar ports and order events.
    Crossbar(Scheduler& scheduler, const FabricParameters& parameters, unsigned ports, unsigned first_number,
             AbsorbHandler absorbed);
    ~Crossbar();
    // The two halves of the cable in `port`.
    Channel::Source& output(unsigned port);
    Channel::Sink& input(unsigned port);
    void connect(unsigned port, Channel& out, Channel& in);
    CrossbarPortCounters counters(unsigned port, Time now) const;

private:
    struct Port;
    Port& port(unsigned number) const;
    void arbitrate(Time now, Port& output);

    Scheduler& scheduler_;
    const FabricParameters parameters_;
    const AbsorbHandler absorbed_;
    std::vector<std::unique_ptr<Port>> ports_;
};

} // namespace myri::emulator
