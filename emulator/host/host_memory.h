// SPDX-License-Identifier: BSD-3-Clause
//
// What the bus addresses of one host mean. The driver service maps rings and user memory here; tests map plain
// buffers. A bus address that means nothing makes the transfer fail (master abort on real hardware).
#pragma once

#include <cstdint>
#include <span>

#include "emulator/clock/scheduler.h"

namespace myri::emulator {

class HostMemory {
public:
    virtual ~HostMemory() = default;
    // The card reads or writes host memory at `when`. A span never crosses a 4 KiB boundary of bus addresses.
    // False: there is no such memory, nothing was transferred. An empty span only asks whether there is memory
    // at `bus`: what the bus learns in a write's address phase, before the bytes reach memory.
    virtual bool dma_read(Time when, uint64_t bus, std::span<uint8_t> out) = 0;
    virtual bool dma_write(Time when, uint64_t bus, std::span<const uint8_t> in) = 0;
    // Whether message data stands there: rings of data and registered user memory, not events and page lists.
    virtual bool message_data(uint64_t) { return false; }
};

} // namespace myri::emulator
