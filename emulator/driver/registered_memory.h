// SPDX-License-Identifier: BSD-3-Clause
//
// What the segments of a window lie in: a process's memory, or an endpoint's bounce area.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/host/bus_map.h"

namespace myri::emulator {

class RegisteredMemory {
public:
    virtual ~RegisteredMemory() = default;
    // 0, or -EFAULT: a part is not there, not readable or (if asked) not writable. -EPERM: the system does not let
    // us look.
    virtual int check(uint64_t address, uint64_t length, bool writable) const = 0;
    // As the card reaches it: whole pages, bus offset 0 is the address `page`.
    virtual std::shared_ptr<BusRange> pages(uint64_t page, bool writable) = 0;
};

} // namespace myri::emulator
