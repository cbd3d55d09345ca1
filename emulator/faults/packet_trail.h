// SPDX-License-Identifier: BSD-3-Clause
//
// Follows faults through one card, by what firmware does with a packet and its transfers.
//
//   in       A stored packet that a fault has touched is watched until firmware clears its receive descriptor: which
//            counters have changed meanwhile tells whether it was refused. Else its event goes to a process, or its
//            data into the block of a pull, whose event follows when it is whole: there EventFaults takes over.
//   bus      A transfer that is hit on its way to the host belongs to the packet it comes from; on its way to the
//            card, to the packet that the port later gathers from there.
//
// Knows the wire format and the firmware's tables in SRAM, and changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "abi/firmware.h"
#include "emulator/faults/event_faults.h"
#include "emulator/nic/packet_observer.h"

namespace myri::emulator {

class PacketTrail final : public PacketObserver {
public:
    // `sram` runs the firmware already.
    PacketTrail(std::string host, std::span<const uint8_t> sram, FaultInjector& injector, EventFaults& events)
        : host_(std::move(host)), sram_(sram), injector_(injector), events_(events) {}
    // Nothing is under way any more: what has not gone on will not.
    void finish();

    void dropped(const Packet&) override;
    void stored(const Packet&, uint32_t descriptor, Piece place, bool invalid) override;
    bool watching() const override { return watched_ != 0; }
    void progressed() override;
    void transfer(bool to_card, Piece place, uint64_t bus) override;
    void hit(bool to_card, uint32_t sram, uint64_t fault_id) override;
    bool may_be_hit(bool to_card, Piece place) const override;
    void gathering(Packet&, std::span<const Piece> pieces) override;

private:
    struct Stored {
        uint32_t bytes, descriptor, fault_place;
        bool taken = false;           // by firmware
        std::vector<uint64_t> faults; // that have not gone on from here
    };
    using Packets = std::map<uint32_t, Stored>; // by SRAM address
    using Block = std::tuple<uint32_t, uint32_t, uint32_t>; // endpoint, pull and its generation, block
    struct Taint {
        uint32_t sram;
        uint64_t fault_id;
    };
    struct EventPlace {
        bool found = false;
        uint32_t endpoint = 0, session = 0, event = 0;
    };
    using Counts = std::array<uint32_t, FW_COUNTER_COUNT>;

    uint32_t word(uint32_t sram) const;
    uint32_t kind_at(uint32_t packet) const { return sram_[packet + 3]; }
    Counts counts() const;
    Packets::iterator packet_at(uint32_t sram);
    void make_room(Piece place);
    void let_go(Stored& packet);
    void took(uint32_t address, Stored& packet);
    void to_block(uint32_t address, Stored& packet);
    void to_event(uint32_t address, Stored& packet, uint64_t bus);
    EventPlace event_place(uint64_t bus, uint32_t trailer) const;

    const std::string host_;
    const std::span<const uint8_t> sram_;
    FaultInjector& injector_;
    EventFaults& events_;
    Packets packets_;
    std::deque<uint32_t> untaken_; // addresses in packets_, in firmware's order
    size_t watched_ = 0;           // untaken ones with faults
    Counts before_{};              // when the first of untaken_ became the next
    std::map<Block, std::vector<EventFaults::Fault>> blocks_;
    std::vector<Taint> taints_; // bytes read from the host that have not been sent
};

} // namespace myri::emulator
