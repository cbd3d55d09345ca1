// SPDX-License-Identifier: BSD-3-Clause
//
// The PCI-X bus between a card and its host: half duplex, in bursts.
//
// A transfer is cut into bursts of at most the read limit (writes: 4 KiB) that do not cross 4 KiB boundaries
// of bus addresses. A burst occupies the bus for its overhead clocks (reads: the host's start-up delay;
// writes: arbitration) and one clock per 8 bytes. Requests of several channels share the bus burst by burst,
// round robin; programmed stores from the host go before the next burst. Parameters are the host profile's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "emulator/clock/scheduler.h"
#include "emulator/fabric/fault_injector.h"
#include "emulator/host/host_memory.h"
#include "emulator/host/host_profile.h"

namespace myri::emulator {

class PciBus {
public:
    static constexpr unsigned CHANNELS = 4;
    struct Request {
        bool to_card = false;    // a read in PCI's terms
        uint64_t bus = 0;        // host address
        std::span<uint8_t> sram; // the card's side; its size is the length
        // Called after each burst and, with last = true, at the end. `ok` false: no such host memory.
        // For to_card the bytes stand in `sram` when it is called.
        std::function<void(Time, uint32_t done_bytes, bool last, bool ok)> progress;
        // Only for to_card, may be empty: called before a burst's bytes appear in `sram`, so that the card's
        // processor is brought to that time first.
        std::function<void(Time)> arriving;
        // No fault may hit this one. Else `hit`, if set, is told which byte a fault will hit.
        bool spared = false;
        std::function<void(uint32_t byte, uint64_t fault_id)> hit;
    };

    PciBus(Scheduler& scheduler, Rank rank, const HostProfile& profile, HostMemory& memory);

    // One request of at least 1 byte per channel at a time (else std::logic_error); `progress(last)` frees
    // the channel, which its callback may already use again.
    void request(Time now, unsigned channel, Request request);
    // Faults of message data on its way: two bits of one byte of a transfer, drawn for each request. Without this
    // call there are none. `host` chooses the random numbers.
    void enable_faults(FaultInjector& injector, unsigned host) {
        faults_ = &injector;
        host_ = host;
    }
    // Programmed store of `bytes` that left the CPU at `now`: the time at which it is in the card.
    Time posted_write(Time now, uint32_t bytes);
    // Shortest time from a DMA request at the card to a change that the host can see.
    Time lookahead() const;
    // Clocks the bus was occupied since the start, for the latency split and for tests.
    uint64_t busy_clocks() const { return busy_clocks_; }
    const HostProfile& profile() const { return profile_; }
    // What the card may ask for in one read: its PCI-X command register, at most what the host profile says.
    void set_read_limit(uint32_t bytes) { profile_.read_limit = bytes; }

private:
    struct Burst {
        uint32_t bytes, clocks;
    };
    Burst next_burst(const Request& request, uint32_t done) const;
    uint32_t data_clocks(uint64_t bus, uint32_t bytes) const;
    void draw_fault(unsigned channel);
    void hit(std::span<uint8_t> burst);
    void arbitrate(Time now);
    void finish_burst(Time now, uint32_t bytes, std::vector<uint8_t> written);

    Scheduler& scheduler_;
    Rank rank_;
    HostProfile profile_;
    HostMemory& memory_;
    std::array<std::optional<Request>, CHANNELS> requests_;
    std::array<uint32_t, CHANNELS> done_{};
    struct Fault {
        uint32_t place = 0; // byte of the request
        uint8_t bits = 0;   // to be inverted; 0: no fault
    };
    std::array<Fault, CHANNELS> hits_{};
    FaultInjector* faults_ = nullptr;
    unsigned host_ = 0;
    unsigned current_ = 0;
    bool busy_ = false;    // a burst is on the bus
    bool waiting_ = false; // arbitration waits for programmed stores to leave the bus
    Time free_at_ = 0;
    uint64_t busy_clocks_ = 0;
};

} // namespace myri::emulator
