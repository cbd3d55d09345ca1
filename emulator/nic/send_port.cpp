// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/send_port.h"

#include <algorithm>

#include "abi/lanai.h"
#include "emulator/nic/buffer_faults.h"
#include "emulator/nic/interrupts.h"

namespace myri::emulator {
namespace {

constexpr uint8_t CONTROL_ON = 0, CONTROL_FLUSH = 3;

} // namespace

SendPort::SendPort(Chip& chip, LinkPort& link, const PortRegisters& registers, uint64_t first_packet_id)
    : chip_(chip), link_(link), registers_(registers), next_id_(first_packet_id) {
    update_levels();
}

uint32_t SendPort::free_count() const {
    return static_cast<uint32_t>(LANAI_SEND_QUEUE - queue_.size());
}

void SendPort::set_free_limit(uint32_t places) {
    free_limit_ = places;
    update_levels();
}

void SendPort::set_control(Time now, uint8_t value) {
    control_ = value & 3;
    if (control_ == CONTROL_FLUSH)
        queue_.erase(queue_.begin() + static_cast<ptrdiff_t>(leaving_), queue_.end());
    update_levels();
    try_start(now);
}

void SendPort::push(Time now, uint32_t word) {
    if (!pointer_) {
        pointer_ = word;
        return;
    }
    Descriptor d{*pointer_, word, now};
    pointer_.reset();
    if (free_count() == 0) {
        chip_.interrupts().latch(now, LANAI_ISR_MEMORY);
        return;
    }
    if (!chip_.inside_sram(d.pointer, word & LANAI_SEND_LENGTH)) {
        chip_.interrupts().latch(now, LANAI_ISR_MEMORY);
        d.flags_length = (word & LANAI_SEND_LAST) | LANAI_SEND_INVALIDATE;
    }
    queue_.push_back(d);
    update_levels();
    try_start(now);
}

void SendPort::try_start(Time now) {
    if (busy_ || starting_ || stopped_ || control_ != CONTROL_ON)
        return;
    const auto last = std::find_if(queue_.begin(), queue_.end(),
                                   [](const Descriptor& d) { return d.flags_length & LANAI_SEND_LAST; });
    if (last == queue_.end())
        return;
    starting_ = true;
    // While an earlier packet was leaving, this one has already been made ready.
    const Time ready = chip_.after(last->pushed, chip_.profile().send_start_cycles);
    chip_.at(
        std::max(now, ready),
        [this](Time when) {
            starting_ = false;
            start(when);
        },
        false);
}

void SendPort::show_faults(Packet& packet, std::deque<Descriptor>::const_iterator last) {
    std::vector<PacketObserver::Piece> pieces;
    for (auto d = queue_.cbegin(); d <= last; ++d)
        if (!(d->flags_length & LANAI_SEND_ROUTE))
            pieces.push_back({d->pointer, d->flags_length & LANAI_SEND_LENGTH});
    if (PacketObserver* observer = chip_.observer())
        observer->gathering(packet, pieces);
    if (chip_.buffer_faults().on())
        chip_.buffer_faults().before_gathering(packet, pieces);
}

void SendPort::start(Time now) {
    const auto last = std::find_if(queue_.begin(), queue_.end(),
                                   [](const Descriptor& d) { return d.flags_length & LANAI_SEND_LAST; });
    if (busy_ || stopped_ || control_ != CONTROL_ON || last == queue_.end())
        return; // something changed since; what changes it back tries again
    auto packet = std::make_shared<Packet>();
    packet->id = next_id_++;
    if (chip_.buffer_faults().on() || chip_.observer())
        show_faults(*packet, last);
    size_t bytes = 0;
    for (auto d = queue_.begin(); d <= last; ++d)
        bytes += d->flags_length & LANAI_SEND_LENGTH;
    packet->bytes.reserve(bytes);
    for (auto d = queue_.begin(); d <= last; ++d) {
        const uint32_t length = d->flags_length & LANAI_SEND_LENGTH;
        chip_.sram_read(now, length ? d->pointer : 0, length);
        const auto from = chip_.sram().subspan(length ? d->pointer : 0, length);
        packet->bytes.insert(packet->bytes.end(), from.begin(), from.end());
        if (d->flags_length & LANAI_SEND_ROUTE)
            packet->route_length += length;
        if (d->flags_length & LANAI_SEND_INVALIDATE)
            packet->marked_bad = true;
    }
    packet->crc32 = registers_[LANAI_PORT_SEND_CONFIG] & LANAI_CONFIG_ENABLE_CRC32;
    leaving_ = static_cast<size_t>(last - queue_.begin()) + 1;
    busy_ = true;
    update_levels();
    link_.send(now, std::move(packet));
}

void SendPort::packet_sent(Time now) {
    busy_ = false;
    if (stale_) {
        stale_ = false;
    } else {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(leaving_));
        leaving_ = 0;
        sent_count_++;
        chip_.interrupts().latch(now, LANAI_ISR_P0_SENT);
    }
    update_levels();
    try_start(now);
}

void SendPort::stop_changed(Time now, bool stopped) {
    stopped_ = stopped;
    update_levels();
    try_start(now);
}

void SendPort::update_levels() {
    Interrupts& interrupts = chip_.interrupts();
    interrupts.set_level(LANAI_ISR_P0_SEND_READY, free_count() >= free_limit_);
    interrupts.set_aisr(LANAI_AISR_MYRI_STOP, stopped_);
    interrupts.set_aisr(LANAI_AISR_SEND_STOPPED, stopped_ && !queue_.empty());
}

void SendPort::reset() {
    queue_.clear();
    pointer_.reset();
    leaving_ = 0;
    stale_ = busy_;
    starting_ = false;
    free_limit_ = 0;
    sent_count_ = control_ = 0;
    update_levels();
}

} // namespace myri::emulator
