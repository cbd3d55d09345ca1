// SPDX-License-Identifier: BSD-3-Clause
// The LANai's arithmetic, flags and conditions.
//
// Concepts: flags are kept as the operands and result of the last flag-setting addition a + b (+ carry) =
// result, from which Z, N, V and C are worked out only when a condition asks. Subtraction is addition of the
// complement. Operations that do not add choose a and b so that V and C come out as they must: a = result
// gives V = 0 and C = the msb of b.
#pragma once
#include "emulator/cpu/decode.h"

#include <bit>
#include <cstdint>

namespace myri::emulator {

struct Flags {
    uint32_t a = 1, b = 0, result = 1; // all flags 0

    bool z() const { return result == 0; }
    bool n() const { return result >> 31; }
    bool v() const { return ((a ^ result) & (b ^ result)) >> 31; }
    bool c() const { return ((a & b) | ((a | b) & ~result)) >> 31; }
    unsigned zncv() const { return 8u * z() + 4u * n() + 2u * c() + 1u * v(); }
};

template <unsigned condition> inline bool holds(Flags f) {
    bool plain;
    switch (condition & ~1u) {
    case 0x0:
        plain = true;
        break;
    case 0x2:
        plain = f.c() && !f.z();
        break;
    case 0x4:
        plain = !f.c();
        break;
    case 0x6:
        plain = !f.z();
        break;
    case 0x8:
        plain = !f.v();
        break;
    case 0xa:
        plain = !f.n();
        break;
    case 0xc:
        plain = f.n() == f.v();
        break;
    default:
        plain = f.n() == f.v() && !f.z();
        break;
    }
    return plain != ((condition & 1) != 0);
}

inline bool holds(unsigned condition, Flags f) {
    switch (condition) {
#define MYRI_ROW(name, number)                                                                               \
    case number:                                                                                             \
        return holds<number>(f);
        MYRI_LANAI_CONDITIONS(MYRI_ROW)
#undef MYRI_ROW
    }
    return false;
}

// Amounts beyond 31 are undefined in the architecture; here all bits leave. `carry` gets the last one on its
// msb.
inline uint32_t shift(uint32_t a, int32_t amount, bool arithmetic, uint32_t& carry) {
    carry = 0;
    if (amount >= 0) {
        if (amount > 31)
            return 0;
        carry = amount == 0 ? 0 : a << (amount - 1);
        return a << amount;
    }
    unsigned right = amount < -31 ? 32u : static_cast<unsigned>(-amount);
    if (arithmetic)
        return static_cast<uint32_t>(static_cast<int32_t>(a) >> (right > 31 ? 31 : right));
    return right > 31 ? 0 : a >> right;
}

template <Alu operation, bool sets_flags> inline uint32_t compute(uint32_t a, uint32_t b, Flags& flags) {
    constexpr bool adds = operation <= Alu::subb;
    uint32_t result, carry = 0;
    switch (operation) {
    case Alu::add:
        result = a + b;
        break;
    case Alu::addc:
        result = a + b + flags.c();
        break;
    case Alu::sub:
        b = ~b;
        result = a + b + 1;
        break;
    case Alu::subb:
        b = ~b;
        result = a + b + flags.c();
        break;
    case Alu::and_:
        result = a & b;
        break;
    case Alu::or_:
        result = a | b;
        break;
    case Alu::xor_:
        result = a ^ b;
        break;
    case Alu::shift_left:
        result = a << b;
        carry = b == 0 ? 0 : a << (b - 1);
        break;
    case Alu::shift_right:
        result = a >> b;
        break;
    case Alu::shift_right_arithmetic:
        result = static_cast<uint32_t>(static_cast<int32_t>(a) >> b);
        break;
    case Alu::sh:
        result = shift(a, static_cast<int32_t>(b), false, carry);
        break;
    case Alu::sha:
        result = shift(a, static_cast<int32_t>(b), true, carry);
        break;
    case Alu::popc:
        result = static_cast<uint32_t>(std::popcount(a));
        break;
    case Alu::leadz:
        result = static_cast<uint32_t>(std::countl_zero(a));
        break;
    case Alu::trailz:
        result = static_cast<uint32_t>(std::countr_zero(a));
        break;
    }
    if (sets_flags)
        flags = adds ? Flags{a, b, result} : Flags{result, carry, result};
    return result;
}

inline uint32_t compute(Alu operation, bool sets_flags, uint32_t a, uint32_t b, Flags& flags) {
    switch (operation) {
#define MYRI_ROW(name)                                                                                       \
    case Alu::name:                                                                                          \
        return sets_flags ? compute<Alu::name, true>(a, b, flags) : compute<Alu::name, false>(a, b, flags);
        MYRI_LANAI_ALU(MYRI_ROW)
#undef MYRI_ROW
    }
    return 0;
}

} // namespace myri::emulator
