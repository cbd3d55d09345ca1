// SPDX-License-Identifier: BSD-3-Clause
//
// The receiving half of port 0: places arriving packets into posted buffers.
//
// Two buffers can be posted, the current and the backup. A packet takes whole blocks of the current one when
// its head arrives; if less than MAX_PACKET is left behind it, it is the buffer's LAST and the backup becomes
// current. Bytes and descriptor appear in SRAM when the packet is complete (bytes already with HEADER_LENGTH
// bytes of it, if that is set). Without a buffer a packet waits, and its sender is stopped, or with
// BUFFER_DROP it is dropped and counted. A disabled port drops what comes.
#pragma once

#include <cstdint>
#include <deque>

#include "emulator/fabric/link_port.h"
#include "emulator/nic/chip.h"
#include "emulator/nic/port_registers.h"

namespace myri::emulator {

class ReceivePort {
public:
    ReceivePort(Chip& chip, LinkPort& link, PortRegisters& registers);

    uint32_t config() const { return config_; }
    // Clearing the enable bit gives up posted buffers and packets in progress.
    void set_config(Time now, uint32_t value);
    // P0_RB. A third buffer, or one that does not fit into SRAM, sets ISR.MEMORY and is not taken.
    void post(Time now, uint32_t address);
    uint32_t buffer_register() const; // reading P0_RB
    uint16_t index() const;
    // Bytes of the packet in progress, 0 if there is none; grows by itself, see in_progress().
    uint16_t count(Time now) const;
    bool in_progress() const;
    uint16_t buffer_drops() const { return buffer_drops_; }
    void reset(Time now);

    // From the link.
    void packet_head(Time now, const PacketPtr& packet);
    void packet_tail(Time now, const PacketPtr& packet);

private:
    struct Buffer {
        uint32_t base, size, block, max_packet;
        uint32_t used = 0;    // blocks
        uint32_t packets = 0; // receive descriptors given out
        uint32_t blocks() const { return size / block; }
        uint32_t left() const { return (blocks() - used) * block; }
    };
    struct Arrival {
        PacketPtr packet;
        uint64_t number;
        Time head;
        bool tail = false;
        bool dropped = false;
        bool placed = false;
        bool copied = false;
        bool announced = false; // PACKET_HEAD
        bool last = false;      // of its buffer
        bool cut = false;       // longer than MAX_PACKET
        uint32_t buffer = 0, data = 0, stored = 0, index = 0, descriptor = 0;
    };
    Arrival* find(uint64_t number);
    void place_waiting(Time now);
    void place(Time now, Arrival& arrival);
    void copy(Arrival& arrival);
    void header_arrived(uint64_t number);
    void complete(Time now, uint64_t number);
    void finish_later(Time now, uint64_t number);
    uint32_t check_flags(const Packet& packet) const;
    void update(Time now);

    Chip& chip_;
    LinkPort& link_;
    PortRegisters& registers_;
    uint32_t config_ = 0;
    std::deque<Buffer> posted_;    // the current one first
    std::deque<Arrival> arrivals_; // in order; until complete
    uint32_t retired_ = 0;         // the buffer that was filled last, for reading P0_RB
    bool has_retired_ = false;
    bool stopping_ = false; // we have told the peer to stop
    uint16_t buffer_drops_ = 0;
    uint64_t next_number_ = 0;
};

} // namespace myri::emulator
