// SPDX-License-Identifier: BSD-3-Clause
// 32-bit division and multiplication, by variables at the edges, by random operands and by constants.
#include "tests/toolchain/print.h"

static NOINLINE uint32_t divide(uint32_t a, uint32_t b) {
    return a / b;
}
static NOINLINE uint32_t modulo(uint32_t a, uint32_t b) {
    return a % b;
}
static NOINLINE int32_t divide_signed(int32_t a, int32_t b) {
    return a / b;
}
static NOINLINE int32_t modulo_signed(int32_t a, int32_t b) {
    return a % b;
}
static NOINLINE uint32_t multiply(uint32_t a, uint32_t b) {
    return a * b;
}

#define DIVISORS(X)                                                                                          \
    X(1)                                                                                                     \
    X(2) X(3) X(5) X(7) X(8) X(10) X(16) X(25) X(60) X(64) X(100) X(125) X(255) X(256) X(641) X(1000)        \
        X(4096) X(10007) X(65535) X(65536) X(65537) X(1000000) X(16777213) X(0x7fffffff)
#define UNSIGNED(d)                                                                                          \
    static NOINLINE uint32_t by_##d(uint32_t a) {                                                            \
        return a / d##u * 5u + a % d##u;                                                                     \
    }
#define SIGNED(d)                                                                                            \
    static NOINLINE uint32_t signed_by_##d(int32_t a) {                                                      \
        return (uint32_t)(a / d) * 5u + (uint32_t)(a % d) + (uint32_t)(a / -d) * 7u;                         \
    }
#define TIMES(d)                                                                                             \
    static NOINLINE uint32_t times_##d(uint32_t a) {                                                         \
        return a * d##u;                                                                                     \
    }
DIVISORS(UNSIGNED)
DIVISORS(SIGNED)
DIVISORS(TIMES)

static NOINLINE void show_constants(uint32_t a) {
#define SHOW(d)                                                                                              \
    put(' ');                                                                                                \
    put_hex(by_##d(a));                                                                                      \
    put(' ');                                                                                                \
    put_hex(a == 0x80000000u && d == 1 ? 0 : signed_by_##d((int32_t)a));                                     \
    put(' ');                                                                                                \
    put_hex(times_##d(a));
    DIVISORS(SHOW)
    put('\n');
}

static NOINLINE void show_pair(uint32_t a, uint32_t b) {
    show("product", multiply(a, b));
    if (b == 0)
        return;
    show("quotient", divide(a, b));
    show("remainder", modulo(a, b));
    if (a == 0x80000000u && b == 0xffffffffu)
        return;
    show("signed quotient", (uint32_t)divide_signed((int32_t)a, (int32_t)b));
    show("signed remainder", (uint32_t)modulo_signed((int32_t)a, (int32_t)b));
}

int main(void) {
    uint32_t seed = 17;
    for (uint32_t i = 0; i < 15; i++) {
        show_constants(edges[i]);
        for (uint32_t j = 0; j < 15; j++)
            show_pair(edges[i], edges[j]);
    }
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t a = next_random(&seed), b = next_random(&seed);
        show_pair(a >> (i & 31), b >> (i / 3 & 31));
        show_constants(a);
    }
    return finish(0);
}
