// SPDX-License-Identifier: BSD-3-Clause
//
// One message from the sender's store to the event in the receiver's ring, cut into its parts.
#pragma once

#include <stdexcept>

#include "tests/rig/test_endpoint.h"

namespace myri::rig {

struct OneWay {
    Time bus_out = 0;   // the request's stores leave the processor -> they are in SRAM
    Time lanai_out = 0; // -> first byte on the wire
    Time link = 0;      // -> last byte at the other card: serial conversions, cable, switch, the bytes themselves
    Time lanai_in = 0;  // -> the event's DMA transfer begins on the bus
    Time bus_in = 0;    // -> the host can see the event

    Time total() const { return bus_out + lanai_out + link + lanai_in + bus_in; }
    OneWay& operator+=(const OneWay& o) {
        bus_out += o.bus_out, lanai_out += o.lanai_out, link += o.link, lanai_in += o.lanai_in, bus_in += o.bus_in;
        return *this;
    }
};

// Sends `request` from host 0 to host 1, which must be quiet, and takes the event.
inline OneWay one_way(Rig& rig, TestEndpoint& from, TestEndpoint& to, const SlotRequest& request) {
    auto packets = [&](unsigned host) { return rig.network().host_counters(host); };
    auto time_when = [&](const std::function<bool()>& done) {
        if (!rig.run_until(done, milliseconds(1)))
            throw std::runtime_error("message lost");
        return rig.scheduler().now();
    };
    const uint64_t out_before = packets(0).packets_out, in_before = packets(1).packets_in;
    const Time begin = rig.now();
    const Time posted = from.writer.post(begin, request);
    const Time out = time_when([&] { return packets(0).packets_out != out_before; });
    const Time in = time_when([&] { return packets(1).packets_in != in_before; });
    const uint64_t bus_before = rig.host(1).bus().busy_clocks();
    const Time event = time_when([&] { return rig.host(1).bus().busy_clocks() != bus_before; });
    std::optional<fw_event> received;
    const Time visible = time_when([&] { return (received = to.poll()).has_value(); });
    if (be16_to_cpu(received->u.packet.header.length) > WIRE_BODY_INLINE) {
        to.take_data(*received);
        to.publish();
    }
    return {posted - begin, out - posted, in - out, event - in, visible - event};
}

} // namespace myri::rig
