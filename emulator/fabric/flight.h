// SPDX-License-Identifier: BSD-3-Clause
//
// A packet under way in the fabric: the packet itself and what the fabric needs to know beside it.
#pragma once

#include <memory>

#include "emulator/fabric/packet.h"
#include "emulator/fabric/packet_crc.h"

namespace myri::emulator {

struct Flight {
    PacketPtr packet;
    PacketPtr
        sender; // the packet as the card gave it, to be reported as sent; null for a fault's extra packet
    Trailer trailer;              // meaningful only if `checked`
    bool checked = false;         // its CRCs are really computed on every hop
    bool vanishes = false;        // takes its time on the wire and never arrives
    std::shared_ptr<Flight> held; // reorder: goes out after the next packet
};

using FlightPtr = std::shared_ptr<Flight>;

} // namespace myri::emulator
