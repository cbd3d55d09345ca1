// SPDX-License-Identifier: BSD-3-Clause
//
// A process's stores into its endpoint's SRAM window, written from abi/firmware.h alone.
//
// Concepts
//  store    whole 8-byte units; nothing is on its way before flush().
//  barrier  what was stored before it reaches the card before what is stored after it.
//  shuffle  the fault mode: between two barriers the units arrive one by one in random order, with random
//  gaps,
//           as a write-combining buffer may be torn.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "abi/firmware.h"
#include "emulator/clock/scheduler.h"

namespace myri::rig {

using emulator::Time;
using Bytes = std::vector<uint8_t>;

struct SlotRequest {
    uint16_t peer = 0;
    uint8_t endpoint = 0;
    uint8_t type = FW_SLOT_SEND;
    uint32_t session = 0;
    Bytes body;
    std::optional<uint16_t> length; // default: that of the body; MEDIUM: bytes in the send ring
    uint32_t argument = 0;
};

class SlotWriter {
public:
    // Brings a burst of bytes, that leaves the processor at the time given or later, to the window's `offset`
    // in the card; returns when it is there.
    using Deliver = std::function<Time(Time, uint32_t offset, Bytes bytes)>;
    explicit SlotWriter(Deliver deliver) : deliver_(std::move(deliver)) {}

    void store(uint32_t offset, std::span<const uint8_t> bytes);
    void barrier();
    // Delivers all that was stored, from `now` on. Returns when the last of it is in the card.
    Time flush(Time now);
    // Writes the next slot and flushes.
    Time post(Time now, const SlotRequest& request);
    uint32_t posted() const { return posted_; }
    void shuffle(uint32_t seed) { random_.emplace(seed); }

private:
    struct Store {
        uint32_t offset;
        Bytes bytes;
    };
    void tear(std::vector<Store>& group);
    Deliver deliver_;
    std::vector<std::vector<Store>> groups_{1}; // each ends with a barrier
    std::optional<std::mt19937> random_;
    uint32_t posted_ = 0;
};

} // namespace myri::rig
