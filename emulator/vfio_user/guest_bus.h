// SPDX-License-Identifier: BSD-3-Clause
//
// What a card's bus addresses mean when its host is a guest: guest memory, while bus mastering is on, and the address
// of the MSI, where a 4-byte write is an interrupt and reaches no memory.
#pragma once

#include "emulator/host/host_memory.h"
#include "emulator/vfio_user/config_space.h"
#include "emulator/vfio_user/guest_memory.h"
#include "emulator/vfio_user/interrupt_lines.h"

namespace myri::emulator::vfio {

class GuestBus : public HostMemory {
public:
    GuestBus(ConfigSpace& config, GuestMemory& memory, InterruptLines& interrupts)
        : config_(config), memory_(memory), interrupts_(interrupts) {}
    bool dma_read(Time when, uint64_t bus, std::span<uint8_t> out) override;
    bool dma_write(Time when, uint64_t bus, std::span<const uint8_t> in) override;

private:
    bool found(bool there);
    ConfigSpace& config_;
    GuestMemory& memory_;
    InterruptLines& interrupts_;
};

} // namespace myri::emulator::vfio
