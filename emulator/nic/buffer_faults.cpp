// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/buffer_faults.h"

#include "emulator/nic/chip.h"

namespace myri::emulator {
namespace {

// Mixed, because neighbouring packets may be of different kinds in turn.
bool drawn_at_sender(const Packet& packet) {
    return packet.id * 0x9e3779b97f4a7c15u >> 63;
}

} // namespace

void BufferFaults::before_gathering(Packet& packet, std::span<const Piece> pieces) {
    if (packet.fault_id != 0 || !drawn_at_sender(packet))
        return;
    uint64_t bytes = 0;
    for (const Piece& piece : pieces)
        bytes += piece.bytes;
    if (bytes == 0)
        return;
    const auto fault = injector_->decide(MYRI_FAULT_CORRUPT_SRAM, host_);
    if (!fault)
        return;
    uint64_t place = fault.where % bytes;
    packet.fault_place = static_cast<uint32_t>(place);
    for (const Piece& piece : pieces) {
        if (place < piece.bytes)
            return invert(packet, piece.sram + static_cast<uint32_t>(place), fault, fault.where / bytes);
        place -= piece.bytes;
    }
}

// A packet that another fault has hit keeps that one's id, so no second one may hit it.
void BufferFaults::arrived(Packet& packet, uint32_t sram, uint32_t bytes) {
    if (packet.fault_id != 0 || bytes == 0 || drawn_at_sender(packet))
        return;
    const auto fault = injector_->decide(MYRI_FAULT_CORRUPT_SRAM, host_);
    if (!fault)
        return;
    packet.fault_place = static_cast<uint32_t>(fault.where % bytes);
    invert(packet, sram + packet.fault_place, fault, fault.where / bytes);
}

void BufferFaults::invert(Packet& packet, uint32_t sram, const FaultInjector::Decision& fault, uint64_t bits) {
    packet.fault_id = fault.fault_id;
    chip_.sram()[sram] ^= two_bits(bits);
    chip_.sram_changed(sram, 1);
}

} // namespace myri::emulator
