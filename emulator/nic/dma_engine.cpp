// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/dma_engine.h"

#include <algorithm>

#include "emulator/nic/interrupts.h"
#include "emulator/nic/packet_observer.h"

namespace myri::emulator {
namespace {

constexpr uint32_t COUNT_LIMIT = 255; // the register has 8 bits
constexpr uint32_t CSUM_OFFSET = 22;  // of the result within a descriptor

// Ones-complement sum of big-endian 16-bit words; an odd last byte counts as its word's high half.
uint16_t internet_checksum(std::span<const uint8_t> bytes) {
    uint64_t sum = 0;
    size_t i = 0;
    for (; i + 2 <= bytes.size(); i += 2)
        sum += static_cast<uint32_t>(bytes[i] << 8 | bytes[i + 1]);
    if (i < bytes.size())
        sum += static_cast<uint32_t>(bytes[i] << 8);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(sum);
}

} // namespace

void DmaEngine::set_enabled(Time now, bool on) {
    enabled_ = on;
    for (unsigned channel = 0; channel < channels_.size(); channel++)
        begin(now, channel);
}

void DmaEngine::set_pointer(Time now, unsigned channel, uint32_t address) {
    Channel& c = channels_[channel];
    if (c.not_done != 0)
        return fail(now, channel);
    c.pointer = c.fetch = address & LANAI_DMA_NEXT;
    c.chained = true;
}

void DmaEngine::hand_over(Time now, unsigned channel, uint32_t descriptors) {
    Channel& c = channels_[channel];
    if (descriptors == 0)
        return;
    if (c.not_done + descriptors > COUNT_LIMIT)
        return fail(now, channel);
    c.not_done += descriptors;
    c.not_started += descriptors;
    begin(now, channel);
}

// An idle channel with work fetches its first descriptor.
void DmaEngine::begin(Time now, unsigned channel) {
    Channel& c = channels_[channel];
    if (!enabled_ || c.working || c.on_bus || c.not_started == 0)
        return;
    c.working = true;
    chip_.at(
        chip_.after(now, chip_.profile().dma_fetch_cycles),
        [this, channel, life = c.life](Time when) {
            if (channels_[channel].life == life)
                start(when, channel);
        },
        false);
}

bool DmaEngine::read_descriptor(Time now, uint32_t address, Descriptor& out) {
    if (address % 8 != 0 || !chip_.inside_sram(address, sizeof(lanai_dma_descriptor)))
        return false;
    chip_.sram_read(now, address, sizeof(lanai_dma_descriptor));
    const uint32_t length = chip_.sram_word(address);
    out.address = address;
    out.flags = length & ~LANAI_DMA_LENGTH;
    out.bytes = length & LANAI_DMA_LENGTH;
    out.host = uint64_t{chip_.sram_word(address + 12)} << 32 | chip_.sram_word(address + 4);
    out.sram = chip_.sram_word(address + 8) & LANAI_DMA_NEXT;
    out.next = chip_.sram_word(address + 16);
    out.checksum_from = chip_.sram_word(address + 20) >> 16;
    return chip_.inside_sram(out.sram, out.bytes);
}

void DmaEngine::start(Time now, unsigned channel) {
    Channel& c = channels_[channel];
    Descriptor d;
    if (!c.chained || !read_descriptor(now, c.fetch, d))
        return fail(now, channel);
    c.not_started--;
    if (d.next & LANAI_DMA_NEXT_VALID)
        c.fetch = d.next & LANAI_DMA_NEXT;
    else
        c.chained = false;
    if (d.bytes == 0)
        return transferred(now, channel, d);

    c.on_bus = true;
    PciBus::Request request;
    request.to_card = d.flags & LANAI_DMA_READ;
    if (!request.to_card)
        chip_.sram_read(now, d.sram, d.bytes);
    request.bus = d.host;
    request.sram = chip_.sram().subspan(d.sram, d.bytes);
    if (PacketObserver* observer = chip_.observer()) {
        const PacketObserver::Piece place{d.sram, d.bytes};
        observer->transfer(request.to_card, place, d.host);
        request.spared = !observer->may_be_hit(request.to_card, place);
        request.hit = [observer, to_card = request.to_card, from = d.sram](uint32_t byte, uint64_t fault_id) {
            observer->hit(to_card, from + byte, fault_id);
        };
    }
    request.arriving = [this](Time when) { chip_.touch(when); };
    request.progress = [this, channel, d, life = c.life, to_card = request.to_card,
                        before = uint32_t{0}](Time when, uint32_t bytes, bool last, bool ok) mutable {
        if (to_card)
            chip_.sram_changed(d.sram + before, bytes - before);
        before = bytes;
        if (!last)
            return;
        Channel& mine = channels_[channel];
        mine.on_bus = false;
        if (mine.life != life)
            begin(when, channel);
        else if (!ok)
            fail(when, channel);
        else
            transferred(when, channel, d);
    };
    bus_.request(now, channel, std::move(request));
}

// The last bus clock is over: the status follows after some cycles, the chain goes on at once.
void DmaEngine::transferred(Time now, unsigned channel, const Descriptor& descriptor) {
    Channel& c = channels_[channel];
    chip_.at(chip_.after(now, chip_.profile().dma_done_cycles),
             [this, channel, descriptor, life = c.life](Time when) {
                 if (channels_[channel].life == life)
                     done(when, channel, descriptor);
             });
    if (c.not_started != 0 && enabled_)
        start(now, channel);
    else
        c.working = false;
}

void DmaEngine::done(Time now, unsigned channel, const Descriptor& d) {
    Channel& c = channels_[channel];
    const uint32_t from = std::min(d.checksum_from, d.bytes);
    const uint16_t sum = internet_checksum(chip_.sram().subspan(d.sram + from, d.bytes - from));
    chip_.sram()[d.address + CSUM_OFFSET] = static_cast<uint8_t>(sum >> 8);
    chip_.sram()[d.address + CSUM_OFFSET + 1] = static_cast<uint8_t>(sum);
    chip_.sram_changed(d.address + CSUM_OFFSET, 2);
    c.not_done--;
    if (d.next & LANAI_DMA_NEXT_VALID) {
        c.pointer = d.next & LANAI_DMA_NEXT;
    } else if (c.not_done == 0) {
        c.chained = true; // the same descriptor may be handed over again
    }
    if (d.flags & LANAI_DMA_END)
        chip_.interrupts().latch(now, LANAI_ISR_DMA_DONE(channel));
}

void DmaEngine::fail(Time now, unsigned channel) {
    chip_.touch(now);
    Channel& c = channels_[channel];
    const Channel stopped{.pointer = c.pointer, .fetch = c.pointer, .on_bus = c.on_bus, .life = c.life + 1};
    c = stopped;
    chip_.interrupts().latch(now, LANAI_ISR_DMA_ERROR);
}

void DmaEngine::reset() {
    enabled_ = false;
    for (Channel& c : channels_)
        c = Channel{.on_bus = c.on_bus, .life = c.life + 1};
}

} // namespace myri::emulator
