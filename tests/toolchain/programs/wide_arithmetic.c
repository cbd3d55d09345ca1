// SPDX-License-Identifier: BSD-3-Clause
// 64-bit arithmetic at the edges of both halves, and by random operands.
#include "tests/toolchain/print.h"

static const uint64_t wide_edges[] = {0,
                                      1,
                                      2,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x100000001,
                                      0x7fffffff00000000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000001,
                                      0xaaaaaaaa55555555,
                                      0xffffffff00000000,
                                      0xfffffffffffffffe,
                                      0xffffffffffffffff};
#define EDGES (sizeof wide_edges / sizeof wide_edges[0])

typedef uint64_t operation(uint64_t a, uint64_t b);
#define OPERATION(name, expression)                                                                          \
    static NOINLINE uint64_t name(uint64_t a, uint64_t b) {                                                  \
        (void)b;                                                                                             \
        return (uint64_t)(expression);                                                                       \
    }
#define SIGNED(v) ((int64_t)(v))
#define DIVIDES   (b == 0 || (a == 0x8000000000000000 && b == 0xffffffffffffffff))

OPERATION(add, a + b)
OPERATION(subtract, a - b)
OPERATION(multiply, a* b)
OPERATION(divide, b ? a / b : 1)
OPERATION(modulo, b ? a % b : 1)
OPERATION(divide_signed, DIVIDES ? 1 : SIGNED(a) / SIGNED(b))
OPERATION(modulo_signed, DIVIDES ? 1 : SIGNED(a) % SIGNED(b))
OPERATION(conjunction, a& b)
OPERATION(difference, a ^ b)
OPERATION(shift_left, a << (b & 63))
OPERATION(shift_right, a >> (b & 63))
OPERATION(shift_signed, SIGNED(a) >> (b & 63))
OPERATION(shift_left_5, a << 5)
OPERATION(shift_signed_33, SIGNED(a) >> 33)
OPERATION(shift_signed_7, SIGNED(a) >> 7)
OPERATION(rotate, (b & 63) ? a << (b & 63) | a >> (64 - (b & 63)) : a)
OPERATION(less, a < b)
OPERATION(less_signed, SIGNED(a) < SIGNED(b))
OPERATION(at_most, a <= b)
OPERATION(at_most_signed, SIGNED(a) <= SIGNED(b))
OPERATION(equal, a == b)
OPERATION(maximum, SIGNED(a) > SIGNED(b) ? a : b)
OPERATION(minimum, a < b ? a : b)
OPERATION(negate, 0 - a)
OPERATION(distance, a > b ? a - b : b - a)
OPERATION(carry, a + b < a)
OPERATION(by_constant, a / 1000000007u + b % 10u)
OPERATION(mixed, (uint64_t)(uint32_t)a*(uint32_t)b)
OPERATION(mixed_signed, (int64_t)(int32_t)(uint32_t)a*(int32_t)(uint32_t)b)
OPERATION(narrow, (uint32_t)(a >> 32) + (uint32_t)b)

static const struct {
    const char* name;
    operation* run;
} operations[] = {
#define ENTRY(name)                                                                                          \
    { #name, name }
    ENTRY(add),          ENTRY(subtract),        ENTRY(multiply),       ENTRY(divide),
    ENTRY(modulo),       ENTRY(divide_signed),   ENTRY(modulo_signed),  ENTRY(conjunction),
    ENTRY(difference),   ENTRY(shift_left),      ENTRY(shift_right),    ENTRY(shift_signed),
    ENTRY(shift_left_5), ENTRY(shift_signed_33), ENTRY(shift_signed_7), ENTRY(rotate),
    ENTRY(less),         ENTRY(less_signed),     ENTRY(at_most),        ENTRY(at_most_signed),
    ENTRY(equal),        ENTRY(maximum),         ENTRY(minimum),        ENTRY(negate),
    ENTRY(distance),     ENTRY(carry),           ENTRY(by_constant),    ENTRY(mixed),
    ENTRY(mixed_signed), ENTRY(narrow)};

static uint64_t random64(uint32_t* seed) {
    uint64_t high = next_random(seed), low = next_random(seed);
    return (high << 32 | low) >> (next_random(seed) & 63); // all magnitudes
}

int main(void) {
    for (uint32_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
        for (uint32_t i = 0; i < EDGES; i++) {
            put_text(operations[k].name);
            for (uint32_t j = 0; j < EDGES; j++) {
                put(' ');
                put_hex64(operations[k].run(wide_edges[i], wide_edges[j]));
            }
            put('\n');
        }
        uint32_t seed = 5;
        uint64_t hash = 0;
        for (int i = 0; i < 200; i++) {
            uint64_t a = random64(&seed), b = random64(&seed);
            hash = (hash << 7 | hash >> 57) ^ operations[k].run(a, b);
        }
        show64(operations[k].name, hash);
    }
    return finish(0);
}
