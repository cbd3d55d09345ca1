// SPDX-License-Identifier: BSD-3-Clause
//
// The card as the client's PCI device: regions, interrupts, reset. It answers messages and knows no socket.
//
// BAR0: SRAM, which the client maps, and which is served by messages as well; registers and the image of configuration
// space, always by messages. Bytes are in memory order, words of the card therefore big-endian.
#pragma once

#include <functional>
#include <vector>

#include "emulator/nic/card.h"
#include "emulator/vfio_user/config_space.h"
#include "emulator/vfio_user/interrupt_lines.h"
#include "emulator/vfio_user/message.h"

namespace myri::emulator::vfio {

class Device {
public:
    struct Hooks {
        std::function<Time()> now;                     // when an access reaches the card
        std::function<void()> reconfigured;            // configuration space was written
        std::function<void()> controlled;              // the control word was written: the processor may be held
    };
    Device(Card& card, ConfigSpace& config, InterruptLines& interrupts, Hooks hooks);

    // Each takes the request's payload, whose length is already known to hold the structure.
    static Reply info();
    Reply region_info(const RegionInfo& request) const;
    static Reply irq_info(const IrqInfo& request);
    // Takes the descriptors that it keeps.
    Reply set_irqs(const IrqSet& request, std::span<const uint8_t> data, std::vector<FileDescriptor>& descriptors);
    Reply read(const RegionAccess& request);
    Reply write(const RegionAccess& request, std::span<const uint8_t> data);
    // As PCI's reset line: registers and configuration space as at power-on. SRAM keeps what it holds.
    void reset();

private:
    static uint64_t region_size(uint32_t region);
    void bar_read(uint64_t offset, std::span<uint8_t> out);
    void bar_write(uint64_t offset, std::span<const uint8_t> in);
    void control(uint32_t word);
    Reply attach(uint32_t index, std::vector<FileDescriptor>& descriptors);
    void trigger(uint32_t index);

    Card& card_;
    ConfigSpace& config_;
    InterruptLines& interrupts_;
    const Hooks hooks_;
};

} // namespace myri::emulator::vfio
