// SPDX-License-Identifier: BSD-3-Clause
// Comparisons, selections and overflow idioms, each at all pairs of the 15 edge values.
#include "tests/toolchain/print.h"

typedef uint32_t idiom(uint32_t u, uint32_t v);
#define IDIOM(name, expression)                                                                              \
    static NOINLINE uint32_t name(uint32_t u, uint32_t v) {                                                  \
        int32_t a = (int32_t)u, b = (int32_t)v;                                                              \
        (void)a, (void)b;                                                                                    \
        return (uint32_t)(expression);                                                                       \
    }

IDIOM(less, a < b)
IDIOM(less_unsigned, u < v)
IDIOM(at_most, a <= b)
IDIOM(at_most_unsigned, u <= v)
IDIOM(more, a > b)
IDIOM(more_unsigned, u > v)
IDIOM(at_least, a >= b)
IDIOM(at_least_unsigned, u >= v)
IDIOM(equal, u == v)
IDIOM(unequal, u != v)
IDIOM(maximum, a > b ? a : b)
IDIOM(minimum, a < b ? a : b)
IDIOM(maximum_unsigned, u > v ? u : v)
IDIOM(minimum_unsigned, u < v ? u : v)
// These two are what the compiler gets wrong without -disable-peephole.
IDIOM(distance, a > b ? u - v : v - u)
IDIOM(distance_unsigned, u > v ? u - v : v - u)
IDIOM(distance_reversed, a < b ? u - v : v - u)
IDIOM(clamped, u - v > u ? 0 : u - v)
IDIOM(saturated_sum, u + v < u ? 0xffffffff : u + v)
IDIOM(sign, (a > b) - (a < b))
IDIOM(sign_unsigned, (u > v) - (u < v))
IDIOM(absolute, a < 0 ? 0 - u : u)
IDIOM(carry, u + v < v)
IDIOM(borrow, u - v > u)
IDIOM(is_zero, u == 0)
IDIOM(is_negative, a < 0)
IDIOM(is_positive, a > 0)
IDIOM(both, a > 5 && b > 5)
IDIOM(either, a < -5 || b < -5)
IDIOM(within, u - 3 < 100)
IDIOM(within_signed, a >= -128 && a <= 127)
IDIOM(difference_is_zero, (u - v == 0 ? 2u : 0u) + (u ^ v))
IDIOM(difference_is_negative, (int32_t)(u - v) < 0 ? v : u)
IDIOM(masked, (u & v) == 0 ? u | v : u & v)
IDIOM(bit, u >> (v & 31) & 1)
IDIOM(sequence_before, (int32_t)(u - v) < 0)
IDIOM(before_or_distance, u < v ? v - u : (u == v ? 7 : u - v + 1))

static NOINLINE uint32_t add_overflows(uint32_t u, uint32_t v) {
    int32_t r;
    uint32_t over = __builtin_add_overflow((int32_t)u, (int32_t)v, &r);
    return over ? 0xbad00000u | ((uint32_t)r & 0xfff) : (uint32_t)r;
}
static NOINLINE uint32_t subtract_overflows(uint32_t u, uint32_t v) {
    int32_t r;
    uint32_t over = __builtin_sub_overflow((int32_t)u, (int32_t)v, &r);
    return over ? 0xbad00000u | ((uint32_t)r & 0xfff) : (uint32_t)r;
}
static NOINLINE uint32_t multiply_overflows(uint32_t u, uint32_t v) {
    int32_t r;
    uint32_t over = __builtin_mul_overflow((int32_t)u, (int32_t)v, &r);
    return over ? 0xbad00000u | ((uint32_t)r & 0xfff) : (uint32_t)r;
}
static NOINLINE uint32_t unsigned_overflows(uint32_t u, uint32_t v) {
    uint32_t sum, difference, product;
    uint32_t bits = __builtin_add_overflow(u, v, &sum);
    bits |= (uint32_t)__builtin_sub_overflow(u, v, &difference) << 1;
    bits |= (uint32_t)__builtin_mul_overflow(u, v, &product) << 2;
    return bits << 28 ^ sum ^ difference ^ product;
}

static const struct {
    const char* name;
    idiom* run;
} idioms[] = {
#define ENTRY(name)                                                                                          \
    { #name, name }
    ENTRY(less),
    ENTRY(less_unsigned),
    ENTRY(at_most),
    ENTRY(at_most_unsigned),
    ENTRY(more),
    ENTRY(more_unsigned),
    ENTRY(at_least),
    ENTRY(at_least_unsigned),
    ENTRY(equal),
    ENTRY(unequal),
    ENTRY(maximum),
    ENTRY(minimum),
    ENTRY(maximum_unsigned),
    ENTRY(minimum_unsigned),
    ENTRY(distance),
    ENTRY(distance_unsigned),
    ENTRY(distance_reversed),
    ENTRY(clamped),
    ENTRY(saturated_sum),
    ENTRY(sign),
    ENTRY(sign_unsigned),
    ENTRY(absolute),
    ENTRY(carry),
    ENTRY(borrow),
    ENTRY(is_zero),
    ENTRY(is_negative),
    ENTRY(is_positive),
    ENTRY(both),
    ENTRY(either),
    ENTRY(within),
    ENTRY(within_signed),
    ENTRY(difference_is_zero),
    ENTRY(difference_is_negative),
    ENTRY(masked),
    ENTRY(bit),
    ENTRY(sequence_before),
    ENTRY(before_or_distance),
    ENTRY(add_overflows),
    ENTRY(subtract_overflows),
    ENTRY(multiply_overflows),
    ENTRY(unsigned_overflows)};

int main(void) {
    for (uint32_t k = 0; k < sizeof idioms / sizeof idioms[0]; k++)
        for (uint32_t i = 0; i < 15; i++) {
            put_text(idioms[k].name);
            for (uint32_t j = 0; j < 15; j++) {
                put(' ');
                put_hex(idioms[k].run(edges[i], edges[j]));
            }
            put('\n');
        }
    return finish(0);
}
