// SPDX-License-Identifier: BSD-3-Clause
//
// A part of an endpoint's memory through which large messages go when we cannot reach the process's own.
//
// Addresses count from the area's beginning. The process copies between it and its buffers; windows lie in it.
#pragma once

#include "abi/firmware.h"
#include "emulator/driver/endpoint_memory.h"
#include "emulator/driver/registered_memory.h"

namespace myri::emulator {

class BounceArea : public RegisteredMemory, public std::enable_shared_from_this<BounceArea> {
public:
    // Eight blocks for each grant and each pull that an endpoint can have open: 1 ms on the wire, against some 10 us
    // between the end of one window and the data of the next. Memory that is not used is not taken.
    static constexpr uint32_t BYTES = (FW_GRANTS + FW_PULLS) * 8 * WIRE_BLOCK_SIZE;

    explicit BounceArea(std::shared_ptr<EndpointMemory> owner) : owner_(std::move(owner)) {}
    int check(uint64_t address, uint64_t length, bool writable) const override;
    std::shared_ptr<BusRange> pages(uint64_t page, bool writable) override;
    std::span<uint8_t> bytes() const { return owner_->bounce(); }

private:
    std::shared_ptr<EndpointMemory> owner_; // keeps the mapping alive
};

} // namespace myri::emulator
