// SPDX-License-Identifier: BSD-3-Clause
// What the test programs share: output that comes out alike natively and on the LANai (lanai-run's test
// port). Integers are of fixed width everywhere, because long is 32 bits on the LANai.
#ifndef MYRI_TESTS_TOOLCHAIN_PRINT_H
#define MYRI_TESTS_TOOLCHAIN_PRINT_H

#include <stdint.h>

#ifdef __lanai__
#include "emulator/cpu/test_port.h"
#include "firmware/chip/mmio.h"
static inline void put(char c) {
    store8((volatile void*)LANAI_TEST_PRINT, (uint8_t)c);
}
static inline int finish(uint32_t status) {
    store32((volatile void*)LANAI_TEST_EXIT, status);
    return 0;
}
#else
#include <stdio.h>
static inline void put(char c) {
    putchar(c);
}
static inline int finish(uint32_t status) {
    return (int)status;
}
#endif

// Keeps a function out of line and unspecialised, so that the call convention is really used.
#define NOINLINE __attribute__((noinline))

// The compiler cannot know the value any more.
static inline uint32_t hidden(uint32_t v) {
    __asm__ volatile("" : "+r"(v));
    return v;
}

static NOINLINE void put_text(const char* text) {
    while (*text)
        put(*text++);
}

static NOINLINE void put_hex(uint32_t v) {
    for (int i = 0; i < 8; i++, v <<= 4)
        put("0123456789abcdef"[v >> 28]);
}

static inline void put_hex64(uint64_t v) {
    put_hex((uint32_t)(v >> 32));
    put_hex((uint32_t)v);
}

// A line of the form `name value`.
static inline void show(const char* name, uint32_t v) {
    put_text(name);
    put(' ');
    put_hex(v);
    put('\n');
}

static inline void show64(const char* name, uint64_t v) {
    put_text(name);
    put(' ');
    put_hex64(v);
    put('\n');
}

// Numbers that look random and are the same everywhere.
static inline uint32_t next_random(uint32_t* state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

// 15 operands at which comparisons and carries go wrong first.
static const uint32_t edges[15] = {0,          1,          2,          3,          0x7f,
                                   0x80,       0xffff,     0x10000,    0x7ffffffe, 0x7fffffff,
                                   0x80000000, 0x80000001, 0xaaaaaaaa, 0xfffffffe, 0xffffffff};

#endif
