// SPDX-License-Identifier: BSD-3-Clause
//
// The registered windows of one endpoint: page lists and what stands behind them on the bus.
//
// Each segment is a bus range of whole pages, so that page offsets are those of the process; a page list has one
// piece for each part of a page, as scattered pages would need. Lists and ranges stay on the bus until the caller
// says that the card has let go of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi/driver.h"
#include "abi/firmware.h"
#include "emulator/driver/registered_memory.h"

namespace myri::emulator {

class WindowTable {
public:
    explicit WindowTable(BusMap& bus) : bus_(bus) {}

    struct Added {
        uint32_t window = 0, generation = 0, length = 0;
        uint64_t list = 0; // bus address
        bool writable = false;
    };
    // 0 or -EINVAL, -EFAULT, -EPERM, -ENOSPC, -E2BIG as abi/driver.h says; `added` is what the card must be told.
    int add(RegisteredMemory& memory, std::span<const myri_segment> segments, bool writable, Added& added);
    // -EINVAL: there is no such window. Otherwise it cannot be named any more, but stays on the bus.
    int retire(uint32_t window, uint32_t generation);
    // What the card must be told again when it has forgotten everything.
    std::vector<Added> used() const;
    // The card has let go of a window, of all: they leave the bus and their places are free.
    void release(uint32_t window);
    void release_all();

private:
    struct Window {
        enum class State { free, used, retiring } state = State::free;
        uint16_t generation = 0; // of the present or last use
        Added told;              // to the card
        std::vector<fw_piece> list;
        std::vector<uint64_t> on_bus;
    };
    BusMap& bus_;
    std::array<Window, FW_WINDOWS> windows_;
};

} // namespace myri::emulator
