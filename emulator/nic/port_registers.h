// SPDX-License-Identifier: BSD-3-Clause
//
// The registers behind PORT_ADDR and PORT_DATA: what the link checks and sends, and counters. Those that the
// model does not use are plain storage.
#pragma once

#include <array>
#include <cstdint>

#include "abi/lanai.h"

namespace myri::emulator {

class PortRegisters {
public:
    uint16_t address() const { return address_; }
    void select(uint16_t address) { address_ = address; }
    // PORT_DATA reads the selected register when PORT_ADDR has its read bit, and writes it when it has not.
    uint16_t data() const { return address_ & LANAI_PORT_READ ? (*this)[address_ & 0x7fu] : last_; }
    void store(uint16_t value) {
        last_ = value;
        if (!(address_ & LANAI_PORT_READ))
            registers_[address_ & 0x7fu] = value;
    }
    uint16_t operator[](unsigned number) const { return registers_[number]; }
    void count(unsigned number) { registers_[number]++; }
    void reset() { *this = {}; }

private:
    std::array<uint16_t, 128> registers_{}; // port 1's from 0x40
    uint16_t address_ = 0, last_ = 0;
};

} // namespace myri::emulator
