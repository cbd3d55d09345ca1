// SPDX-License-Identifier: BSD-3-Clause
//
// A packet as it travels: route, type and payload, and what became of its two link checks.
//
// The CRC-8 (each hop) and the CRC-32 (card to card, behind the route) of an undamaged packet are right by
// construction, so they are computed only for packets that a fault has touched, or for all in the test mode
// that proves the two give equal results.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace myri::emulator {

struct Packet {
    std::vector<uint8_t> bytes; // route, type, payload; neither CRC
    uint32_t route_used = 0;    // leading route bytes that switches have consumed
    bool crc32 = false;         // a CRC-32 trailer of 4 bytes goes with it
    bool marked_bad = false;    // sent with INVALIDATE

    uint64_t id = 0;            // number of the packet in this run, given by the sending card
    uint64_t fault_id = 0;      // injected fault that touched it, 0 for none
    uint32_t fault_place = ~0u; // byte from the type on that a fault in SRAM has damaged
    uint32_t route_length = 0;  // route bytes that the sender put in front of the type

    // Set by the fabric for a packet that a fault has touched, before it reaches the receiver.
    bool crc8_bad = false;
    bool crc32_bad = false;

    // Bytes on the wire at this place: rest of the route, type, payload, CRC-32, CRC-8.
    uint32_t wire_length() const {
        return static_cast<uint32_t>(bytes.size()) - route_used + (crc32 ? 4u : 0u) + 1u;
    }
};

using PacketPtr = std::shared_ptr<Packet>;

} // namespace myri::emulator
