// SPDX-License-Identifier: BSD-3-Clause
// Calls: variable arguments, structs by value, many and mixed arguments, function pointers, large frames.
#include "tests/toolchain/print.h"

#include <stdarg.h>

struct small {
    int32_t a, b;
};
struct four {
    uint32_t v[4];
};
struct large {
    uint32_t v[20];
    uint64_t wide;
    uint8_t bytes[7];
};

static NOINLINE uint32_t sum(uint32_t count, ...) {
    va_list list;
    va_start(list, count);
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total = total * 31 + va_arg(list, uint32_t);
    va_end(list);
    return total;
}

// The letters of `kinds` say what follows: i int32, p pointer to uint32. No 64-bit ones, see
// faults/wide_variadic.c.
static NOINLINE uint64_t mixed(const char* kinds, ...) {
    va_list list, again;
    va_start(list, kinds);
    va_copy(again, list);
    uint64_t total = 0;
    for (const char* k = kinds; *k; k++) {
        total = total * 33;
        if (*k == 'i')
            total += (uint64_t)va_arg(list, int32_t);
        else
            total += *va_arg(list, uint32_t*);
    }
    va_end(list);
    if (*kinds == 'i')
        total ^= (uint32_t)va_arg(again, int32_t);
    va_end(again);
    return total;
}

static NOINLINE uint32_t ten(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f,
                             uint32_t g, uint32_t h, uint32_t i, uint32_t j) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
static NOINLINE uint64_t eight(uint8_t a, uint64_t b, int16_t c, uint64_t d, int32_t e, int8_t f, uint16_t g,
                               uint64_t h) {
    return a + b * 3 + (uint64_t)c * 5 + d * 7 + (uint64_t)e * 11 + (uint64_t)f * 13 + g * 17u + h * 19;
}
static NOINLINE struct small swapped(struct small s) {
    return (struct small){s.b, s.a};
}
static NOINLINE struct four reversed(uint32_t x, struct four s) {
    return (struct four){{s.v[3] + x, s.v[2], s.v[1], s.v[0]}};
}
static NOINLINE struct large changed(struct large s, uint32_t by) {
    for (int i = 0; i < 20; i++)
        s.v[i] += by;
    s.wide *= by;
    s.bytes[6] ^= (uint8_t)by;
    return s;
}
static NOINLINE uint32_t hash_of(const struct large* s) {
    uint32_t h = (uint32_t)s->wide ^ (uint32_t)(s->wide >> 32);
    for (int i = 0; i < 20; i++)
        h = h * 31 + s->v[i];
    for (int i = 0; i < 7; i++)
        h = h * 31 + s->bytes[i];
    return h;
}

static NOINLINE uint32_t plus(uint32_t a, uint32_t b) {
    return a + b;
}
static NOINLINE uint32_t minus(uint32_t a, uint32_t b) {
    return a - b;
}
static NOINLINE uint32_t times(uint32_t a, uint32_t b) {
    return a * b;
}
typedef uint32_t (*function)(uint32_t, uint32_t);
static function functions[] = {plus, minus, times};
static NOINLINE function chosen(uint32_t i) {
    return functions[i % 3];
}
static NOINLINE uint32_t apply(function f, function g, uint32_t x) {
    return f(g(x, 5), g(7, x));
}

static NOINLINE uint32_t big_frame(uint32_t seed) {
    volatile uint32_t room[500];
    for (uint32_t i = 0; i < 500; i++)
        room[i] = next_random(&seed);
    uint32_t h = 0;
    for (uint32_t i = 0; i < 500; i++)
        h = h * 5 + room[(i * 7) % 500];
    return h;
}
static NOINLINE uint32_t variable_frame(uint32_t n) {
    uint8_t room[n];
    for (uint32_t i = 0; i < n; i++)
        room[i] = (uint8_t)(i * n);
    uint32_t h = 0;
    for (uint32_t i = 0; i < n; i++)
        h = h * 3 + room[n - 1 - i];
    return h;
}
static NOINLINE uint32_t narrow(int8_t a, uint8_t b, int16_t c, uint16_t d) {
    return (uint32_t)(a * 1000 + b * 100 + c * 10 + d);
}

int main(void) {
    uint32_t cell = 77;
    show("sum", sum(0));
    show("sum", sum(hidden(1), 9u));
    show("sum", sum(hidden(9), 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 0xffffffffu));
    show64("mixed", mixed("ipi", -5, &cell, 6));
    show64("mixed", mixed("ppiii", &cell, &cell, -1, -2147483647 - 1, 2147483647));
    show("ten", ten(hidden(1), 2, 3, hidden(4), 5, 6, 7, hidden(8), 9, 10));
    show64("eight", eight(200, 0x100000001, -300, 0xfedcba9876543210, -70000, -8, 60000, hidden(3)));
    struct small s = swapped((struct small){(int32_t)hidden(3), -4});
    show("small", (uint32_t)(s.a * 100 + s.b));
    struct four f = reversed(hidden(100), (struct four){{1, 2, 3, hidden(4)}});
    show("four", f.v[0] * 1000000 + f.v[1] * 10000 + f.v[2] * 100 + f.v[3]);
    struct large l = {.wide = 0x123456789, .bytes = {1, 2, 3, 4, 5, 6, 7}};
    for (uint32_t i = 0; i < 20; i++)
        l.v[i] = i * i;
    struct large m = changed(l, hidden(13));
    show("large before", hash_of(&l));
    show("large after", hash_of(&m));
    for (uint32_t i = 0; i < 9; i++)
        show("apply", apply(chosen(i), chosen(i / 3), hidden(i + 20)));
    show("big frame", big_frame(3));
    for (uint32_t n = 1; n < 300; n += 60)
        show("variable frame", variable_frame(hidden(n)));
    show("narrow", narrow((int8_t)hidden(0x80), (uint8_t)hidden(0xff), (int16_t)hidden(0x8000),
                          (uint16_t)hidden(0xffff)));
    return finish(0);
}
