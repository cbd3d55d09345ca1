// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cpu/alu_reference.h"

#include <stdexcept>
#include <vector>

namespace myri::reference {
namespace {

constexpr int64_t two32 = int64_t{1} << 32;

int64_t as_signed(uint32_t x) {
    return x >= 0x80000000u ? int64_t{x} - two32 : int64_t{x};
}

Outcome with_zn(int64_t value, bool v, bool c) {
    uint32_t word = static_cast<uint32_t>(((value % two32) + two32) % two32);
    return {word, {word == 0, as_signed(word) < 0, v, c}};
}

// a + b + carry_in as the adder sees it: C is the unsigned sum's 33rd bit, V tells that the signed sum does
// not fit.
Outcome adder(uint32_t a, uint32_t b, bool carry_in) {
    int64_t unsigned_sum = int64_t{a} + int64_t{b} + carry_in;
    int64_t signed_sum = as_signed(a) + as_signed(b) + carry_in;
    bool overflow = signed_sum < -two32 / 2 || signed_sum >= two32 / 2;
    return with_zn(unsigned_sum, overflow, unsigned_sum >= two32);
}

std::vector<bool> bits_of(uint32_t x) {
    std::vector<bool> bits; // [0] is the least significant
    for (int i = 0; i < 32; i++, x /= 2)
        bits.push_back(x % 2 == 1);
    return bits;
}

Outcome shift(uint32_t a, int amount, bool arithmetic) {
    int64_t value = a;
    bool carry = false;
    for (int i = 0; i < amount; i++) {
        value *= 2;
        carry = value >= two32;
        value %= two32;
    }
    for (int i = 0; i < -amount; i++) {
        bool top = value >= two32 / 2;
        value /= 2;
        if (arithmetic && top)
            value += two32 / 2;
    }
    return with_zn(value, false, carry);
}

} // namespace

Outcome compute(Alu operation, uint32_t a, uint32_t b, Flags before) {
    const uint32_t all = 0xffffffffu;
    auto x = bits_of(a);
    auto y = bits_of(b);
    int64_t value = 0;
    switch (operation) {
    case Alu::add:
        return adder(a, b, false);
    case Alu::addc:
        return adder(a, b, before.c);
    case Alu::sub:
        return adder(a, all - b, true);
    case Alu::subb:
        return adder(a, all - b, before.c);
    case Alu::and_:
    case Alu::or_:
    case Alu::xor_:
        for (size_t i = 32; i-- > 0;) {
            bool bit = operation == Alu::and_  ? (x[i] && y[i])
                       : operation == Alu::or_ ? (x[i] || y[i])
                                               : x[i] != y[i];
            value = 2 * value + bit;
        }
        return with_zn(value, false, false);
    case Alu::sh:
        return shift(a, static_cast<int>(as_signed(b)), false);
    case Alu::sha:
        return shift(a, static_cast<int>(as_signed(b)), true);
    case Alu::popc:
        for (bool bit : x)
            value += bit;
        return with_zn(value, false, false);
    case Alu::leadz:
        for (size_t i = 32; i-- > 0 && !x[i];)
            value++;
        return with_zn(value, false, false);
    case Alu::trailz:
        for (size_t i = 0; i < 32 && !x[i]; i++)
            value++;
        return with_zn(value, false, false);
    }
    throw std::logic_error("no such ALU operation");
}

bool holds(unsigned dddi, Flags f) {
    switch (dddi) {
    case 0x0:
        return true;
    case 0x1:
        return false;
    case 0x2:
        return f.c && !f.z;
    case 0x3:
        return !f.c || f.z;
    case 0x4:
        return !f.c;
    case 0x5:
        return f.c;
    case 0x6:
        return !f.z;
    case 0x7:
        return f.z;
    case 0x8:
        return !f.v;
    case 0x9:
        return f.v;
    case 0xa:
        return !f.n;
    case 0xb:
        return f.n;
    case 0xc:
        return f.n == f.v;
    case 0xd:
        return f.n != f.v;
    case 0xe:
        return f.n == f.v && !f.z;
    case 0xf:
        return f.n != f.v || f.z;
    }
    throw std::logic_error("a condition number is 0 to 15");
}

} // namespace myri::reference
