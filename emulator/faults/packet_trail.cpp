// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/faults/packet_trail.h"

#include <algorithm>

#include "abi/lanai.h"
#include "abi/message.h"
#include "abi/wire.h"

namespace myri::emulator {
namespace {

constexpr uint32_t HEADER = sizeof(wire_header);
// Nobody reads these bytes of a packet whose data stands at WIRE_BODY_DATA; the last 8 become the event's trailer.
constexpr uint32_t GAP_BEGIN = HEADER + sizeof(msg_header), GAP_END = HEADER + WIRE_BODY_DATA;
constexpr uint32_t BRIEF_EVENT = 16; // last bytes of an event: a, b, argument, trailer

} // namespace

uint32_t PacketTrail::word(uint32_t sram) const {
    return uint32_t{sram_[sram]} << 24 | uint32_t{sram_[sram + 1]} << 16 | uint32_t{sram_[sram + 2]} << 8 |
           sram_[sram + 3];
}

PacketTrail::Counts PacketTrail::counts() const {
    Counts counts;
    const uint32_t at = word(FW_GLOBALS + offsetof(fw_globals, counters));
    for (uint32_t n = 0; n < FW_COUNTER_COUNT; n++)
        counts[n] = word(at + 4 * n);
    return counts;
}

PacketTrail::Packets::iterator PacketTrail::packet_at(uint32_t sram) {
    auto it = packets_.upper_bound(sram);
    if (it == packets_.begin())
        return packets_.end();
    --it;
    return sram - it->first < it->second.bytes ? it : packets_.end();
}

void PacketTrail::dropped(const Packet& packet) {
    injector_.end(packet.fault_id, packet.crc8_bad    ? Fate::crc8
                                   : packet.crc32_bad ? Fate::crc32
                                                      : Fate::unroutable);
}

// What stood there before has been dealt with, or its buffer would not have been used again.
void PacketTrail::make_room(Piece place) {
    auto it = packets_.lower_bound(place.sram);
    if (it != packets_.begin() && std::prev(it)->first + std::prev(it)->second.bytes > place.sram)
        --it;
    while (it != packets_.end() && it->first < place.sram + place.bytes) {
        for (const uint64_t id : it->second.faults)
            injector_.report(id, "firmware took the packet, but neither refused nor delivered it");
        it = packets_.erase(it);
    }
}

void PacketTrail::stored(const Packet& packet, uint32_t descriptor, Piece place, bool invalid) {
    progressed();
    make_room(place);
    Stored record{place.bytes, descriptor, packet.fault_place, false, {}};
    if (packet.fault_id && invalid)
        injector_.end(packet.fault_id, packet.crc8_bad    ? Fate::crc8
                                       : packet.crc32_bad ? Fate::crc32
                                                          : Fate::rejected);
    else if (packet.fault_id)
        record.faults.push_back(packet.fault_id);
    if (!record.faults.empty() && watched_++ == 0)
        before_ = counts();
    packets_.emplace(place.sram, std::move(record));
    untaken_.push_back(place.sram);
}

void PacketTrail::progressed() {
    while (!untaken_.empty()) {
        const uint32_t address = untaken_.front();
        Stored& packet = packets_.at(address);
        if (word(packet.descriptor + offsetof(lanai_receive_descriptor, flags_length)) != 0)
            return;
        untaken_.pop_front();
        took(address, packet);
        if (watched_)
            before_ = counts();
    }
}

// Its faults have gone on to where they end.
void PacketTrail::let_go(Stored& packet) {
    packet.faults.clear();
    if (!packet.taken)
        watched_--;
}

void PacketTrail::took(uint32_t address, Stored& packet) {
    if (packet.faults.empty()) {
        packet.taken = true;
        return;
    }
    const Counts now = counts();
    const auto changed = [&](fw_counter counter) { return now[counter] != before_[counter]; };
    const auto all_end = [&](Fate fate) {
        for (const uint64_t id : packet.faults)
            injector_.end(id, fate);
        let_go(packet);
    };
    if (changed(FW_COUNTER_frames_unwanted)) {
        all_end(Fate::not_wanted);
    } else if (changed(FW_COUNTER_frames_present)) {
        all_end(Fate::duplicate);
    } else if (std::ranges::any_of(
                   std::array{FW_COUNTER_bad_crc, FW_COUNTER_unstripped_route, FW_COUNTER_bad_type,
                              FW_COUNTER_bad_length, FW_COUNTER_refused_closed,
                              FW_COUNTER_refused_session, FW_COUNTER_refused_full, FW_COUNTER_refused_grant,
                              FW_COUNTER_frames_bad},
                   changed)) {
        all_end(Fate::rejected);
    } else if (kind_at(address) == WIRE_PULL) {
        // It asks for frames. A wrong question costs time, and what was meant is asked again.
        const myri_fault kind = FaultInjector::kind(packet.faults.front());
        all_end(kind == MYRI_FAULT_DUPLICATE || kind == MYRI_FAULT_REORDER ? Fate::delivered : Fate::hint);
    } else if (kind_at(address) == WIRE_NACK && !changed(FW_COUNTER_events)) {
        all_end(Fate::rejected);
    } else {
        watched_--; // its transfers come, or it would not be gone
    }
    packet.taken = true;
}

PacketTrail::EventPlace PacketTrail::event_place(uint64_t bus, uint32_t trailer) const {
    const uint32_t table = word(FW_GLOBALS + offsetof(fw_globals, endpoints));
    for (uint32_t e = 0; e < FW_ENDPOINTS; e++) {
        const uint32_t at = table + e * uint32_t{sizeof(fw_endpoint)};
        const uint32_t ring_at = at + uint32_t{offsetof(fw_endpoint, event_ring)};
        const uint64_t ring = uint64_t{word(ring_at)} << 32 | word(ring_at + 4);
        const uint32_t entries = word(at + uint32_t{offsetof(fw_endpoint, event_entries)});
        if (bus < ring || bus - ring >= uint64_t{entries} * FW_EVENT_SIZE)
            continue;
        const auto index = static_cast<uint32_t>((bus - ring) / FW_EVENT_SIZE);
        return {true, e, word(at + uint32_t{offsetof(fw_endpoint, session)}), (trailer & 0x7fff) * entries + index};
    }
    return {};
}

void PacketTrail::to_block(uint32_t address, Stored& packet) {
    auto& waiting = blocks_[{sram_[address + 4], word(address + 16), word(address + 20) >> 16}];
    // Flags and checksum of a frame count only in the last one of a block.
    const bool beside_data = packet.fault_place < HEADER + sizeof(wire_frame);
    for (const uint64_t id : packet.faults)
        waiting.push_back({id, beside_data});
    let_go(packet);
}

void PacketTrail::to_event(uint32_t address, Stored& packet, uint64_t bus) {
    const EventPlace place = event_place(bus, word(address + FW_EVENT_SIZE - 4));
    if (!place.found)
        return;
    const bool no_effect = (word(address + 4) & 0xffff) > WIRE_BODY_INLINE && packet.fault_place >= GAP_BEGIN &&
                           packet.fault_place < GAP_END;
    for (const uint64_t id : packet.faults)
        if (no_effect)
            injector_.end(id, Fate::unread);
        else
            events_.wait(host_, place.endpoint, place.session, place.event, {id, false});
    let_go(packet);
}

void PacketTrail::transfer(bool to_card, Piece place, uint64_t bus) {
    if (to_card) {
        std::erase_if(taints_, [&](const Taint& taint) {
            if (taint.sram - place.sram >= place.bytes)
                return false;
            injector_.end(taint.fault_id, Fate::not_wanted); // what was read was never sent
            return true;
        });
        return;
    }
    const auto packet = packet_at(place.sram);
    if (packet != packets_.end()) {
        if (packet->second.faults.empty())
            return;
        if (kind_at(packet->first) == WIRE_FRAME)
            to_block(packet->first, packet->second);
        else if (place.sram == packet->first)
            to_event(packet->first, packet->second, bus);
    } else if (place.bytes == BRIEF_EVENT && !blocks_.empty()) {
        const uint32_t trailer = word(place.sram + 12);
        const EventPlace at = event_place(bus, trailer);
        if (!at.found || trailer >> 24 != FW_EVENT_BLOCK)
            return;
        if (const auto faults = blocks_.extract(Block{at.endpoint, word(place.sram), word(place.sram + 4)}))
            for (const EventFaults::Fault& fault : faults.mapped())
                events_.wait(host_, at.endpoint, at.session, at.event, fault);
    }
}

void PacketTrail::hit(bool to_card, uint32_t sram, uint64_t fault_id) {
    if (to_card) {
        taints_.push_back({sram, fault_id});
        return;
    }
    const auto it = packet_at(sram);
    if (it == packets_.end()) {
        injector_.report(fault_id, "message data went to the host from where no packet is");
        return;
    }
    Stored& packet = it->second;
    if (!packet.taken && packet.faults.empty() && watched_++ == 0)
        before_ = counts();
    packet.faults.push_back(fault_id);
    if (kind_at(it->first) == WIRE_FRAME)
        to_block(it->first, packet);
}

bool PacketTrail::may_be_hit(bool to_card, Piece place) const {
    if (to_card)
        return true;
    const auto it = const_cast<PacketTrail*>(this)->packet_at(place.sram);
    return it == packets_.end() || it->second.faults.empty();
}

void PacketTrail::gathering(Packet& packet, std::span<const Piece> pieces) {
    std::erase_if(taints_, [&](const Taint& taint) {
        for (const Piece& piece : pieces)
            if (taint.sram - piece.sram < piece.bytes) {
                if (packet.fault_id)
                    injector_.share(packet.fault_id, taint.fault_id);
                else
                    packet.fault_id = taint.fault_id;
                return true;
            }
        return false;
    });
}

void PacketTrail::finish() {
    progressed();
    for (const auto& [block, faults] : blocks_) // never whole: its pull ended before
        for (const EventFaults::Fault& fault : faults)
            injector_.end(fault.id, Fate::not_wanted);
    blocks_.clear();
    for (const Taint& taint : taints_)
        injector_.end(taint.fault_id, Fate::not_wanted);
    taints_.clear();
}

} // namespace myri::emulator
