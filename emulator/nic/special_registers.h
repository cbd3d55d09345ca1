// SPDX-License-Identifier: BSD-3-Clause
//
// Decoding of the special registers: which unit a register belongs to.
//
// An access reaches the registers whose bytes it covers completely; a narrower store to a register does
// nothing. Registers that no unit of the model has (dispatch, copy, CRC engine, LED, PLL, port 1, ...) are
// plain storage if they can be read and written. Everything else reads 0.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/nic/dma_engine.h"
#include "emulator/nic/interrupts.h"
#include "emulator/nic/port_registers.h"
#include "emulator/nic/receive_port.h"
#include "emulator/nic/send_port.h"
#include "emulator/nic/timers.h"

namespace myri::emulator {

// The units behind the registers.
struct Units {
    Interrupts& interrupts;
    Timers& timers;
    DmaEngine& dma;
    PortRegisters& port;
    SendPort& send;
    ReceivePort& receive;
};

class RegisterDecoder {
public:
    RegisterDecoder(Units units, const ChipClock& clock, uint32_t sram_bytes, double bus_mhz);

    // `offset` is a multiple of `bytes` (1, 2, 4) below LANAI_SPECIAL_SIZE.
    uint32_t load(Time now, uint32_t offset, unsigned bytes) const;
    void store(Time now, uint32_t offset, unsigned bytes, uint32_t value, bool by_host);
    void reset();

private:
    uint32_t read(Time now, uint32_t reg) const;
    void write(Time now, uint32_t reg, uint32_t value, bool by_host);

    Units units_;
    ChipClock clock_;
    uint32_t sram_bytes_;
    uint16_t pci_clock_;
    uint32_t dma_config_ = 0;
    uint64_t cpuc_offset_ = 0;
    std::array<uint32_t, LANAI_SPECIAL_SIZE> storage_{}; // by register offset
};

} // namespace myri::emulator
