// SPDX-License-Identifier: BSD-3-Clause
// Cycles and instructions per function, from a linker map.
//
// Concepts: a map names one symbol a line, `%08x %6u T name` = address, size (decimal), type letter (T R D
// B), name. Other lines are ignored. An instruction belongs to the text symbol with the highest address not
// above it; whatever lies before the first one, to "(no symbol)".
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace myri::emulator {

class Profile {
public:
    struct Function {
        uint32_t address;
        std::string name;
        uint64_t entered = 0; // times that execution came in from another function, returns included
        uint64_t instructions = 0;
        uint64_t cycles = 0;
    };

    explicit Profile(std::istream& map);

    // One executed instruction at `pc` that took `cycles`.
    void count(uint32_t pc, uint64_t cycles);

    // Those that executed at least one instruction, most cycles first.
    std::vector<Function> used() const;

private:
    std::vector<Function> functions_; // by address; [0] is "(no symbol)" at 0
    size_t current_ = 0;              // where the last instruction was
    bool started_ = false;
};

} // namespace myri::emulator
