// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/host/pci_bus.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace myri::emulator {
namespace {

constexpr uint32_t BURST_BOUNDARY = 4096; // no burst crosses it; also the longest PCI-X burst

} // namespace

PciBus::PciBus(Scheduler& scheduler, Rank rank, const HostProfile& profile, HostMemory& memory)
    : scheduler_(scheduler), rank_(rank), profile_(profile), memory_(memory) {}

void PciBus::request(Time now, unsigned channel, Request request) {
    if (channel >= CHANNELS || requests_[channel] || request.sram.empty())
        throw std::logic_error("bus request on channel " + std::to_string(channel) + " of " +
                               std::to_string(request.sram.size()) + " bytes: needs a free channel below " +
                               std::to_string(CHANNELS) + " and at least 1 byte");
    requests_[channel] = std::move(request);
    done_[channel] = 0;
    if (faults_)
        draw_fault(channel);
    arbitrate(now);
}

void PciBus::draw_fault(unsigned channel) {
    const Request& request = *requests_[channel];
    hits_[channel] = {};
    if (request.spared || !memory_.message_data(request.bus))
        return;
    const uint64_t bytes = request.sram.size();
    const auto fault = faults_->decide(MYRI_FAULT_CORRUPT_PCI, host_);
    if (!fault)
        return;
    hits_[channel] = {static_cast<uint32_t>(fault.where % bytes), two_bits(fault.where / bytes)};
    if (request.hit)
        request.hit(hits_[channel].place, fault.fault_id);
}

// Inverts the chosen bits if they are among the present channel's next bytes, which stand in `burst`.
void PciBus::hit(std::span<uint8_t> burst) {
    const Fault& fault = hits_[current_];
    const uint64_t place = uint64_t{fault.place} - done_[current_];
    if (place < burst.size())
        burst[place] ^= fault.bits;
}

uint32_t PciBus::data_clocks(uint64_t bus, uint32_t bytes) const {
    const uint32_t width = profile_.bus_bytes;
    return static_cast<uint32_t>((bus % width + bytes + width - 1) / width);
}

PciBus::Burst PciBus::next_burst(const Request& request, uint32_t done) const {
    const uint64_t bus = request.bus + done;
    const uint64_t left = request.sram.size() - done;
    const uint64_t limit = request.to_card ? profile_.read_limit : BURST_BOUNDARY;
    const auto bytes = static_cast<uint32_t>(std::min({left, limit, BURST_BOUNDARY - bus % BURST_BOUNDARY}));
    const uint32_t overhead =
        request.to_card ? profile_.read_overhead_clocks : profile_.write_overhead_clocks;
    return {bytes, overhead + data_clocks(bus, bytes)};
}

void PciBus::arbitrate(Time now) {
    if (busy_ || waiting_)
        return;
    unsigned next = current_;
    do
        next = (next + 1) % CHANNELS;
    while (!requests_[next] && next != current_);
    if (!requests_[next])
        return;
    if (free_at_ > now) {
        waiting_ = true;
        scheduler_.at(free_at_, rank_, [this](Time when) {
            waiting_ = false;
            arbitrate(when);
        });
        return;
    }
    current_ = next;
    const Request& request = *requests_[current_];
    const Burst burst = next_burst(request, done_[current_]);
    std::vector<uint8_t> written;
    if (!request.to_card) {
        const auto from = request.sram.subspan(done_[current_], burst.bytes);
        written.assign(from.begin(), from.end());
        hit(written);
    }
    busy_ = true;
    busy_clocks_ += burst.clocks;
    free_at_ = now + burst.clocks * profile_.clock_ps();
    scheduler_.at(free_at_, rank_,
                  [this, bytes = burst.bytes, written = std::move(written)](Time when) mutable {
                      finish_burst(when, bytes, std::move(written));
                  });
}

void PciBus::finish_burst(Time now, uint32_t bytes, std::vector<uint8_t> written) {
    const unsigned channel = current_;
    Request& request = *requests_[channel];
    const uint64_t bus = request.bus + done_[channel];
    bool ok;
    if (request.to_card) {
        if (request.arriving)
            request.arriving(now);
        const auto to = request.sram.subspan(done_[channel], bytes);
        ok = memory_.dma_read(now, bus, to);
        if (ok)
            hit(to);
    } else {
        ok = memory_.dma_write(now, bus, {}) && memory_.dma_write(now, bus + bytes - 1, {});
        // Memory that has gone by the time the posted bytes reach it loses them, as a real host's would.
        if (ok)
            scheduler_.at(now + nanoseconds(profile_.dma_visible_ns), rank_,
                          [this, bus, written = std::move(written)](Time when) {
                              memory_.dma_write(when, bus, written);
                          });
    }
    if (ok)
        done_[channel] += bytes;
    const uint32_t done = done_[channel];
    const bool last = !ok || done == request.sram.size();
    // busy_ stays set meanwhile: a request made by the callback takes part in the arbitration after it.
    if (last) {
        const Request finished = std::move(request);
        requests_[channel].reset();
        finished.progress(now, done, true, ok);
    } else {
        request.progress(now, done, false, true);
    }
    busy_ = false;
    arbitrate(now);
}

Time PciBus::posted_write(Time now, uint32_t bytes) {
    const uint32_t clocks = profile_.posted_overhead_clocks + data_clocks(0, bytes);
    busy_clocks_ += clocks;
    free_at_ = std::max(now, free_at_) + clocks * profile_.clock_ps();
    return free_at_ + nanoseconds(profile_.posted_latency_ns);
}

Time PciBus::lookahead() const {
    return (profile_.write_overhead_clocks + 1) * profile_.clock_ps() + nanoseconds(profile_.dma_visible_ns);
}

} // namespace myri::emulator
