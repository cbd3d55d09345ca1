// SPDX-License-Identifier: BSD-3-Clause
//
// The four DMA channels: chains of descriptors in SRAM, moved by the PCI bus.
//
// Writing n to DMAn_COUNT hands n more descriptors to channel n, the first at DMAn_POINTER, each further one
// where its predecessor's `next` points. A descriptor is read once, before its first burst; that of a running
// chain is fetched while its predecessor's data move, so a chain keeps the bus busy. DMAn_POINTER follows
// `next` as descriptors finish, and stays if `next` is not VALID. What cannot be done (a bad descriptor, no
// such host memory, more handed over than linked, a pointer stored while the channel works) sets DMA_ERROR
// and stops the channel.
#pragma once

#include <array>
#include <cstdint>

#include "abi/lanai.h"
#include "emulator/host/pci_bus.h"
#include "emulator/nic/chip.h"

namespace myri::emulator {

class DmaEngine {
public:
    DmaEngine(Chip& chip, PciBus& bus) : chip_(chip), bus_(bus) {}

    void set_enabled(Time now, bool on);
    void set_pointer(Time now, unsigned channel, uint32_t address);
    uint32_t pointer(unsigned channel) const { return channels_[channel].pointer; }
    void hand_over(Time now, unsigned channel, uint32_t descriptors);
    uint32_t not_done(unsigned channel) const { return channels_[channel].not_done; }
    void reset();

private:
    struct Channel {
        uint32_t pointer = 0;     // of the first descriptor that is not done
        uint32_t fetch = 0;       // of the next one to start
        uint32_t not_done = 0;    // handed over
        uint32_t not_started = 0; // of those
        bool chained = true;      // `fetch` is valid: stored by software or a VALID `next`
        bool working = false;     // a fetch or a transfer is under way
        bool on_bus = false;      // the bus still holds a request, perhaps from before a reset
        uint64_t life = 0;        // counts resets and errors: callbacks of an earlier life are stale
    };
    struct Descriptor {
        uint32_t address, flags, bytes, sram, next;
        uint32_t checksum_from;
        uint64_t host;
    };

    void begin(Time now, unsigned channel);
    void start(Time now, unsigned channel);
    void transferred(Time now, unsigned channel, const Descriptor& descriptor);
    void done(Time now, unsigned channel, const Descriptor& descriptor);
    void fail(Time now, unsigned channel);
    bool read_descriptor(Time now, uint32_t address, Descriptor& out);

    Chip& chip_;
    PciBus& bus_;
    bool enabled_ = false;
    std::array<Channel, LANAI_DMA_CHANNELS> channels_{};
};

} // namespace myri::emulator
