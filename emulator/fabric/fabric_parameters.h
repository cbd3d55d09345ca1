// SPDX-License-Identifier: BSD-3-Clause
//
// Named numbers of links and crossbars, each with its source. They are physical times of the modelled
// hardware; none may be set to make one benchmark fit.
//
// Calibration, card port to card port over one crossbar with short (5 m) cables:
//     2 links x (serialise 30 + cable 5 m x 6.5 = 32.5 + deserialise 30) = 185 ns
//     1 crossbar                                                         = 123 ns
//     first byte in all                                                  = 308 ns
//     48 bytes (MX's null packet) x 4 ns, counted once: cut-through      = 192 ns
//     last byte                                                          = 500 ns, the published ~0.5 us
// Only the sum is published ("two serial conversions and a switch"). The crossbar's share is set to what one
// more crossbar costs in large networks, 0.12 to 0.15 us; the rest is divided evenly among the four
// conversions.
#pragma once

#include <cmath>
#include <cstdint>

#include "emulator/clock/scheduler.h"

namespace myri::emulator {

struct FabricParameters {
    double ns_per_byte = 4;            // 2.0 Gb/s each way (vendor's product pages)
    double serialise_ns = 30;          // each sending end (calibration above)
    double deserialise_ns = 30;        // each receiving end (calibration above)
    double propagation_ns_per_m = 6.5; // fibre (vendor's performance page)
    double cable_m = 5;                // of a cable that does not say its own length
    double longest_cable_m = 200;      // vendor's limit; slack is sized for it
    double crossbar_ns = 123;          // first byte in to first byte out, output free (calibration above)

    // Slack buffer of a crossbar's input. STOP travels one link latency and bytes go on arriving for one
    // more: 2 x (30 + 200 m x 6.5 + 30) = 2720 ns = 680 bytes must fit above `stop_at`, and as many must lie
    // in the buffer when GO is sent, so that the output does not run dry. First-generation literature has the
    // same proportions for its shorter cables: 80 bytes, STOP at 56, GO at 40.
    uint32_t slack_bytes = 1536;
    uint32_t stop_at = 800; // STOP when this many bytes lie in the buffer
    uint32_t go_at = 720;   // GO when no more than this many are left

    Time byte_time() const { return picoseconds(ns_per_byte); }
    Time crossbar_time() const { return picoseconds(crossbar_ns); }
    // First byte into the serialiser at one end to first byte out of the deserialiser at the other.
    Time link_latency(double metres) const {
        return picoseconds(serialise_ns + metres * propagation_ns_per_m + deserialise_ns);
    }

private:
    static Time picoseconds(double ns) { return static_cast<Time>(std::llround(ns * 1000)); }
};

} // namespace myri::emulator
