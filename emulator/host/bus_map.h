// SPDX-License-Identifier: BSD-3-Clause
//
// The bus addresses of one emulated host: which memory stands behind which range.
//
// Addresses are handed out in order from a fixed start, 4 KiB aligned, with an unmapped page between ranges, and are
// not reused within a run: a card that keeps using memory it was told to forget meets a master abort. A range does
// not cross a multiple of 4 GiB.
#pragma once

#include <map>
#include <memory>

#include "emulator/host/host_memory.h"

namespace myri::emulator {

// Memory behind a range. Offsets count from the range's start.
class BusRange {
public:
    virtual ~BusRange() = default;
    virtual bool read(Time when, uint64_t offset, std::span<uint8_t> out) = 0;
    virtual bool write(Time when, uint64_t offset, std::span<const uint8_t> in) = 0;
    // See HostMemory.
    virtual bool message_data() const { return false; }
};

// Plain memory of this process: page lists, benchmark buffers, rings in tests.
class PlainRange : public BusRange {
public:
    explicit PlainRange(std::span<uint8_t> memory) : memory_(memory) {}
    bool read(Time, uint64_t offset, std::span<uint8_t> out) override;
    bool write(Time, uint64_t offset, std::span<const uint8_t> in) override;

private:
    std::span<uint8_t> memory_;
};

class BusMap : public HostMemory {
public:
    // Returns the bus address of the range's first byte.
    uint64_t add(uint64_t length, std::shared_ptr<BusRange> range);
    void remove(uint64_t bus);
    bool dma_read(Time when, uint64_t bus, std::span<uint8_t> out) override;
    bool dma_write(Time when, uint64_t bus, std::span<const uint8_t> in) override;
    bool message_data(uint64_t bus) override;
    size_t ranges() const { return ranges_.size(); }
    // The card's bus mastering; while it is off no transfer finds any memory.
    void set_bus_master(bool on) { bus_master_ = on; }

private:
    struct Entry {
        uint64_t length;
        std::shared_ptr<BusRange> range;
    };
    Entry* find(uint64_t bus, uint64_t length, uint64_t& offset);
    std::map<uint64_t, Entry> ranges_;
    bool bus_master_ = true;
    uint64_t next_ = 0x1'0000'0000; // above 4 GiB, so that the high address word is exercised
};

} // namespace myri::emulator
