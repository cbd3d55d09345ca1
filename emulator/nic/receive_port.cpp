// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/receive_port.h"

#include <algorithm>

#include "abi/lanai.h"
#include "emulator/nic/buffer_faults.h"
#include "emulator/nic/interrupts.h"

namespace myri::emulator {
namespace {

constexpr Time BYTE_TIME = nanoseconds(4); // 2 Gb/s
constexpr uint32_t CRC32_BYTES = 4, CRC8_BYTES = 1;
constexpr uint32_t INVALIDATE_MARKED_BAD = 0x200; // RECV_CONFIG
constexpr uint32_t COMPLETE = 1u << 31;           // reading P0_RB

uint32_t field(uint32_t config, unsigned shift) {
    return config >> shift & 0xf;
}

} // namespace

ReceivePort::ReceivePort(Chip& chip, LinkPort& link, PortRegisters& registers)
    : chip_(chip), link_(link), registers_(registers) {
    update(0);
}

void ReceivePort::set_config(Time now, uint32_t value) {
    config_ = value;
    if (!(config_ & LANAI_RPL_ENABLE)) {
        posted_.clear();
        std::erase_if(arrivals_, [](const Arrival& a) { return a.tail; });
        for (Arrival& a : arrivals_)
            a.dropped = true;
    }
    update(now);
}

void ReceivePort::post(Time now, uint32_t address) {
    Buffer buffer{};
    buffer.base = address;
    buffer.size = 512u << field(config_, 0);
    buffer.block = 8u << field(config_, 4);
    buffer.max_packet = 512u << field(config_, 8);
    const uint64_t with_list =
        uint64_t{buffer.size} + uint64_t{buffer.blocks()} * sizeof(struct lanai_receive_descriptor);
    if (posted_.size() == LANAI_RECEIVE_QUEUE || buffer.blocks() == 0 || address % 8 != 0 ||
        !chip_.inside_sram(address, with_list)) {
        chip_.interrupts().latch(now, LANAI_ISR_MEMORY);
        return;
    }
    posted_.push_back(buffer);
    has_retired_ = false;
    place_waiting(now);
    update(now);
}

uint32_t ReceivePort::buffer_register() const {
    if (has_retired_)
        return COMPLETE | retired_;
    return posted_.empty() ? 0 : posted_.front().base;
}

uint16_t ReceivePort::index() const {
    for (const Arrival& a : arrivals_)
        if (a.placed && !a.dropped)
            return static_cast<uint16_t>(a.index);
    return static_cast<uint16_t>(posted_.empty() ? 0 : posted_.front().packets);
}

bool ReceivePort::in_progress() const {
    return std::any_of(arrivals_.begin(), arrivals_.end(),
                       [](const Arrival& a) { return a.placed && !a.tail && !a.dropped; });
}

uint16_t ReceivePort::count(Time now) const {
    for (const Arrival& a : arrivals_)
        if (a.placed && !a.tail && !a.dropped) {
            const Time bytes = now < a.head ? 0 : (now - a.head) / BYTE_TIME + 1;
            return static_cast<uint16_t>(std::min<Time>(bytes, a.packet->wire_length() - 1));
        }
    return 0;
}

ReceivePort::Arrival* ReceivePort::find(uint64_t number) {
    for (Arrival& a : arrivals_)
        if (a.number == number)
            return &a;
    return nullptr;
}

void ReceivePort::packet_head(Time now, const PacketPtr& packet) {
    Arrival arrival{};
    arrival.packet = packet;
    arrival.number = next_number_++;
    arrival.head = now;
    if (!(config_ & LANAI_RPL_ENABLE)) {
        arrival.dropped = true;
    } else if (packet->bytes.size() <= packet->route_used) {
        arrival.dropped = true;
        registers_.count(LANAI_PORT_SHORT_DROP);
    } else if (posted_.empty() && (config_ & LANAI_RPL_BUFFER_DROP)) {
        arrival.dropped = true;
        buffer_drops_++;
    }
    arrivals_.push_back(std::move(arrival));
    place_waiting(now);
    update(now);
}

void ReceivePort::place_waiting(Time now) {
    for (Arrival& a : arrivals_) {
        if (a.placed || a.dropped)
            continue;
        if (posted_.empty())
            return;
        place(now, a);
    }
}

void ReceivePort::place(Time now, Arrival& a) {
    Buffer& buffer = posted_.front();
    const uint32_t length = a.packet->wire_length();
    const uint32_t room = std::min(buffer.max_packet, buffer.left());
    a.placed = true;
    a.cut = length > room;
    a.stored = std::min(length, room);
    a.buffer = buffer.base;
    a.data = buffer.base + buffer.used * buffer.block;
    a.index = buffer.packets++;
    a.descriptor = buffer.base + buffer.size + a.index * uint32_t{sizeof(struct lanai_receive_descriptor)};
    buffer.used += (a.stored + buffer.block - 1) / buffer.block;
    a.last = buffer.left() < buffer.max_packet;
    if (a.last)
        posted_.pop_front();
    const uint32_t header = config_ >> 16 & 0xff;
    if (header != 0 && header <= length)
        chip_.at(std::max(now, a.head + header * BYTE_TIME),
                 [this, number = a.number](Time) { header_arrived(number); });
    if (a.tail)
        finish_later(now, a.number);
}

void ReceivePort::header_arrived(uint64_t number) {
    Arrival* a = find(number);
    if (!a || a->dropped)
        return;
    copy(*a);
    a->announced = true;
    chip_.interrupts().set_level(LANAI_ISR_P0_HEAD, true);
}

// Type to payload as they are, then the residues of the checks: zero when good.
void ReceivePort::copy(Arrival& a) {
    if (a.copied)
        return;
    a.copied = true;
    const Packet& packet = *a.packet;
    const auto to = chip_.sram().subspan(a.data, a.stored);
    const size_t payload = std::min<size_t>(packet.bytes.size() - packet.route_used, a.stored);
    std::copy_n(packet.bytes.begin() + packet.route_used, payload, to.begin());
    std::fill(to.begin() + static_cast<ptrdiff_t>(payload), to.end(), uint8_t{0});
    if (!a.cut && packet.crc8_bad)
        to[a.stored - CRC8_BYTES] = 0xff;
    if (!a.cut && packet.crc32 && packet.crc32_bad)
        std::fill_n(to.end() - CRC8_BYTES - CRC32_BYTES, CRC32_BYTES, uint8_t{0xff});
    chip_.sram_changed(a.data, a.stored);
}

void ReceivePort::packet_tail(Time now, const PacketPtr&) {
    const auto a = std::find_if(arrivals_.begin(), arrivals_.end(), [](const Arrival& x) { return !x.tail; });
    if (a == arrivals_.end())
        return; // its head came before this card was attached
    a->tail = true;
    if (a->dropped) {
        if (PacketObserver* observer = chip_.observer())
            observer->dropped(*a->packet);
        arrivals_.erase(a);
    } else if (a->placed)
        finish_later(now, a->number);
}

void ReceivePort::finish_later(Time now, uint64_t number) {
    chip_.at(chip_.after(now, chip_.profile().receive_done_cycles),
             [this, number](Time when) { complete(when, number); });
}

uint32_t ReceivePort::check_flags(const Packet& packet) const {
    const uint32_t config = registers_[LANAI_PORT_RECV_CONFIG];
    const auto selected = [&](uint32_t bits) { return (config & bits) == bits; };
    bool invalid = packet.marked_bad && selected(INVALIDATE_MARKED_BAD);
    if (selected(LANAI_CONFIG_ENABLE_CRC8 | LANAI_CONFIG_INVALIDATE_CRC8))
        invalid |= packet.crc8_bad;
    if (selected(LANAI_CONFIG_ENABLE_CRC32 | LANAI_CONFIG_INVALIDATE_CRC32))
        invalid |=
            packet.crc32_bad || !packet.crc32; // without one, the last bytes are hardly right by chance
    return (invalid ? LANAI_RPD_INVALID : 0) | (packet.marked_bad ? LANAI_RPD_MARKED_BAD : 0);
}

void ReceivePort::complete(Time now, uint64_t number) {
    Arrival* a = find(number);
    if (!a)
        return; // the port was disabled meanwhile
    copy(*a);
    uint32_t flags = check_flags(*a->packet);
    if (a->cut)
        flags |= LANAI_RPD_INVALID;
    const uint32_t checks = CRC8_BYTES + (a->packet->crc32 ? CRC32_BYTES : 0);
    if (chip_.buffer_faults().on() && !(flags & LANAI_RPD_INVALID) && a->stored > checks)
        chip_.buffer_faults().arrived(*a->packet, a->data, a->stored - checks);
    if (a->last) {
        flags |= LANAI_RPD_LAST;
        retired_ = a->buffer;
        has_retired_ = true;
    }
    chip_.set_sram_word(a->descriptor, a->data);
    chip_.set_sram_word(a->descriptor + 4, flags | a->stored);
    if (PacketObserver* observer = chip_.observer())
        observer->stored(*a->packet, a->descriptor, {a->data, a->stored}, flags & LANAI_RPD_INVALID);
    std::erase_if(arrivals_, [&](const Arrival& x) { return x.number == number; });
    chip_.interrupts().latch(now, LANAI_ISR_P0_RECEIVED);
    update(now);
}

void ReceivePort::update(Time now) {
    const bool announced = std::any_of(arrivals_.begin(), arrivals_.end(),
                                       [](const Arrival& a) { return a.announced && !a.dropped; });
    Interrupts& interrupts = chip_.interrupts();
    interrupts.set_level(LANAI_ISR_P0_HEAD, announced);
    interrupts.set_level(LANAI_ISR_P0_NO_BACKUP, posted_.size() < LANAI_RECEIVE_QUEUE);
    interrupts.set_aisr(LANAI_AISR_NO_BACKUP, posted_.size() < LANAI_RECEIVE_QUEUE);
    interrupts.set_aisr(LANAI_AISR_NO_BUFFER, posted_.empty());

    uint64_t free = 0;
    for (const Buffer& buffer : posted_)
        free += buffer.left();
    const uint32_t stop_size = 512u << field(config_, 12);
    const bool holds_back = (config_ & LANAI_RPL_ENABLE) && !(config_ & LANAI_RPL_BUFFER_DROP);
    const bool stop = holds_back && (posted_.empty() || free < stop_size);
    if (stop != stopping_) {
        stopping_ = stop;
        link_.set_stop(now, stop);
    }
}

void ReceivePort::reset(Time now) {
    set_config(now, 0);
    has_retired_ = false;
    buffer_drops_ = 0;
}

} // namespace myri::emulator
