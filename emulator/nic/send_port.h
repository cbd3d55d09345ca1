// SPDX-License-Identifier: BSD-3-Clause
//
// The sending half of port 0: a queue of descriptors, gathered into packets.
//
// A packet goes out once its LAST descriptor is in the queue and the link is free; its bytes are taken from
// SRAM at that moment, its places in the queue become free when its last byte has left. A descriptor that
// finds no place or points outside SRAM sets ISR.MEMORY; the first is lost, the second sends no bytes and
// spoils its packet.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "emulator/fabric/link_port.h"
#include "emulator/nic/chip.h"
#include "emulator/nic/port_registers.h"

namespace myri::emulator {

class SendPort {
public:
    SendPort(Chip& chip, LinkPort& link, const PortRegisters& registers, uint64_t first_packet_id);

    void push(Time now, uint32_t word); // P0_SEND: pointer and flags words in turn
    uint32_t free_count() const;
    uint32_t free_limit() const { return free_limit_; }
    void set_free_limit(uint32_t places);
    uint8_t sent_count() const { return sent_count_; }
    void set_sent_count(uint8_t count) { sent_count_ = count; }
    uint8_t control() const { return control_; }
    void set_control(Time now, uint8_t value);
    void reset();

    // From the link.
    void packet_sent(Time now);
    void stop_changed(Time now, bool stopped);

private:
    struct Descriptor {
        uint32_t pointer, flags_length;
        Time pushed;
    };
    void try_start(Time now);
    void start(Time now);
    void show_faults(Packet& packet, std::deque<Descriptor>::const_iterator last);
    void update_levels();

    Chip& chip_;
    LinkPort& link_;
    const PortRegisters& registers_;
    std::deque<Descriptor> queue_;
    std::optional<uint32_t> pointer_; // the first word of a descriptor, until the second comes
    size_t leaving_ = 0;              // descriptors at the front whose packet is being sent
    bool busy_ = false;               // the link has a packet of ours
    bool stale_ = false;              // that packet is from before a reset
    bool starting_ = false;           // start() is scheduled
    bool stopped_ = false;            // by the peer
    uint32_t free_limit_ = 0;
    uint8_t sent_count_ = 0, control_ = 0;
    uint64_t next_id_;
};

} // namespace myri::emulator
