// SPDX-License-Identifier: BSD-3-Clause
//
// Faults of one card's SRAM that hit packets: two bits of one byte are inverted, which parity does not see.
//
// Each packet is drawn for once, in the SRAM of its sender or of its receiver; its number says in which. At the
// sender that is the moment before the port gathers it, and the byte is one of the header, body or data that the
// port reads, never of the route, which stands in a table. At the receiver it is the moment after the port has
// checked the packet and before the firmware looks at it.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/fabric/fault_injector.h"
#include "emulator/nic/packet_observer.h"

namespace myri::emulator {

class Chip;

class BufferFaults {
public:
    explicit BufferFaults(Chip& chip) : chip_(chip) {}
    // Until this is called there are none. `host` chooses the random numbers.
    void enable(FaultInjector& injector, unsigned host) {
        injector_ = &injector;
        host_ = host;
    }
    bool on() const { return injector_; }

    using Piece = PacketObserver::Piece;
    // `packet` is about to be gathered from these pieces; its id is already set. Only when on(), like the next.
    void before_gathering(Packet& packet, std::span<const Piece> pieces);
    // Type and payload of `packet`, which passed all checks of the port, stand at `sram`.
    void arrived(Packet& packet, uint32_t sram, uint32_t bytes);

private:
    void invert(Packet& packet, uint32_t sram, const FaultInjector::Decision& fault, uint64_t bits);

    Chip& chip_;
    FaultInjector* injector_ = nullptr;
    unsigned host_ = 0;
};

} // namespace myri::emulator
