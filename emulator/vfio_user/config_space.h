// SPDX-License-Identifier: BSD-3-Clause
//
// PCI configuration space of a card: identity, command and status, BAR0, the reset and interrupt control word, PCI-X
// and MSI capabilities. The client forwards every write unfiltered, so what can be written is decided here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace myri::emulator::vfio {

class ConfigSpace {
public:
    static constexpr uint32_t SIZE = 256;

    explicit ConfigSpace(uint8_t revision);
    // Power-on values.
    void reset();

    // The range must lie inside (std::out_of_range).
    void read(uint32_t offset, std::span<uint8_t> out) const;
    // Changes what can be written. A store that covers the whole control word returns it; it reads as 0.
    std::optional<uint32_t> write(uint32_t offset, std::span<const uint8_t> in);

    bool bus_master() const;
    bool intx_disabled() const;
    struct Msi {
        bool enabled;
        uint64_t address;
        uint16_t data;
    };
    Msi msi() const;
    // Most bytes of one PCI-X read.
    uint32_t read_byte_count() const;
    // Status bits: a transfer of ours met no memory; the interrupt is asserted.
    void set_master_abort();
    void set_interrupt_status(bool on);

private:
    void define(uint32_t offset, unsigned bytes, uint64_t value, uint64_t writable = 0, uint64_t cleared_by_one = 0);
    uint32_t word(uint32_t offset) const;

    const uint8_t revision_;
    std::array<uint8_t, SIZE> value_{}, writable_{}, cleared_by_one_{};
};

} // namespace myri::emulator::vfio
