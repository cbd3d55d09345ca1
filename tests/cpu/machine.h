// SPDX-License-Identifier: BSD-3-Clause
// A processor with 64 KiB of SRAM and recording special registers, for tests.
#pragma once
#include "emulator/cpu/cpu.h"
#include "tests/cpu/assemble.h"

#include <functional>
#include <initializer_list>
#include <vector>

namespace myri::test {

using emulator::Cpu;
using emulator::CpuTiming;
using Stop = Cpu::Stop;

struct Access {
    bool store;
    uint32_t offset;
    unsigned bytes;
    uint32_t value;
    uint64_t cycle;
    bool operator==(const Access&) const = default;
};

struct RecordingRegisters : emulator::SpecialRegisters {
    std::vector<Access> accesses;
    uint32_t value = 0; // what loads yield
    std::function<void()> on_access = [] {};

    uint32_t load(uint32_t at, unsigned bytes, uint64_t cycle) override {
        accesses.push_back({false, at, bytes, value, cycle});
        on_access();
        return value;
    }
    void store(uint32_t at, unsigned bytes, uint32_t stored, uint64_t cycle) override {
        accesses.push_back({true, at, bytes, stored, cycle});
        on_access();
    }
};

struct Machine {
    std::vector<uint8_t> sram = std::vector<uint8_t>(65536);
    RecordingRegisters special;
    Cpu cpu;

    explicit Machine(CpuTiming timing = {}) : cpu(sram, special, timing) {}
    Machine(std::initializer_list<uint32_t> program, CpuTiming timing = {}) : Machine(timing) {
        write(0, program);
    }

    void write(uint32_t address, uint32_t value) {
        for (unsigned i = 0; i < 4; i++)
            sram.at(address + i) = static_cast<uint8_t>(value >> (24 - 8 * i));
    }
    void write(uint32_t address, const std::vector<uint32_t>& words) {
        for (uint32_t value : words) {
            write(address, value);
            address += 4;
        }
    }
    uint32_t read(uint32_t address) const {
        uint32_t value = 0;
        for (unsigned i = 0; i < 4; i++)
            value = value << 8 | sram.at(address + i);
        return value;
    }
    // Executes `count` instructions, one at a time.
    void step(unsigned count = 1) {
        while (count-- > 0)
            cpu.run(cpu.cycle() + 1);
    }
    // Registers first, e.g. run({{r6, 5}}, 3).
    void run(std::initializer_list<std::pair<unsigned, uint32_t>> registers, unsigned instructions) {
        for (auto [n, v] : registers)
            cpu.set_reg(n, v);
        step(instructions);
    }
    uint32_t reg(unsigned n) const { return cpu.reg(n); }
};

} // namespace myri::test
