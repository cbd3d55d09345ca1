// SPDX-License-Identifier: BSD-3-Clause
// A second, slow opinion on the LANai's arithmetic, for tests only: written from the instruction set's
// description (values as 64-bit integers, shifts one bit at a time) and sharing nothing with emulator/cpu.
#pragma once
#include <cstdint>

namespace myri::reference {

enum class Alu { add, addc, sub, subb, and_, or_, xor_, sh, sha, popc, leadz, trailz };
constexpr unsigned alu_count = 12;

struct Flags {
    bool z = false, n = false, v = false, c = false;
    bool operator==(const Flags&) const = default;
};

struct Outcome {
    uint32_t value;
    Flags flags; // as the operation sets them when its F bit is 1
};

// `b` is the constant or the second register; for shifts it must be -31..31 as a signed number.
Outcome compute(Alu operation, uint32_t a, uint32_t b, Flags before);

// `dddi` is the 4-bit condition number: 0 T, 1 F, 2 HI, 3 LS, 4 CC, 5 CS, 6 NE, 7 EQ, 8 VC, 9 VS, A PL, B MI,
// C GE, D LT, E GT, F LE.
bool holds(unsigned dddi, Flags flags);

} // namespace myri::reference
