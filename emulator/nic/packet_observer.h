// SPDX-License-Identifier: BSD-3-Clause
//
// Somebody who follows packets through one card: what becomes of those that a fault has touched. There only while
// faults are injected.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/fabric/packet.h"

namespace myri::emulator {

class PacketObserver {
public:
    struct Piece {
        uint32_t sram, bytes;
    };
    virtual ~PacketObserver() = default;

    // The port has dropped a packet: it stands nowhere.
    virtual void dropped(const Packet&) = 0;
    // The port has stored a packet and filled in its receive descriptor; `invalid`: its checks failed.
    virtual void stored(const Packet&, uint32_t descriptor, Piece place, bool invalid) = 0;
    // While this is true the processor goes in small steps, with progressed() after each.
    virtual bool watching() const = 0;
    virtual void progressed() = 0;

    // A DMA transfer begins: afterwards hit() may say that a fault inverts bits at `sram` of it.
    virtual void transfer(bool to_card, Piece place, uint64_t bus) = 0;
    virtual void hit(bool to_card, uint32_t sram, uint64_t fault_id) = 0;
    // Whether a fault may hit it: no second one for one packet.
    virtual bool may_be_hit(bool to_card, Piece place) const = 0;

    // The port is about to gather a packet from these pieces, its route left out.
    virtual void gathering(Packet&, std::span<const Piece> pieces) = 0;
};

} // namespace myri::emulator
