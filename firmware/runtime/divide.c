/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Division by shift and subtract. The divisor is first moved up under the dividend in binary steps, so that
 * the loop runs once per quotient bit. Not by __builtin_clz: its instruction, leadz, is encoded differently
 * on real chips than in LLVM.
 */
#include "firmware/runtime/helpers.h"

struct result32 {
    uint32_t quotient, remainder;
};

struct result64 {
    uint64_t quotient, remainder;
};

static inline struct result32 divide32(uint32_t n, uint32_t d) {
    struct result32 r = {0, n};
    if (d == 0) {
        r.quotient = ~0u;
        return r;
    }
    unsigned shift = 0;
    for (unsigned step = 16; step; step >>= 1) {
        if ((n >> step) >= d) {
            d <<= step;
            shift += step;
        }
    }
    /* Now d <= n < 2d, or shift is 0 and n < d. */
    for (;;) {
        r.quotient <<= 1;
        if (r.remainder >= d) {
            r.remainder -= d;
            r.quotient |= 1;
        }
        if (shift-- == 0)
            return r;
        d >>= 1;
    }
}

static struct result64 divide64(uint64_t n, uint64_t d) {
    struct result64 r = {0, n};
    if (d == 0) {
        r.quotient = ~0ull;
        return r;
    }
    if ((n >> 32) == 0) {
        if ((d >> 32) == 0) {
            struct result32 small = divide32((uint32_t)n, (uint32_t)d);
            r.quotient = small.quotient;
            r.remainder = small.remainder;
        }
        return r;
    }
    unsigned shift = 0;
    for (unsigned step = 32; step; step >>= 1) {
        if ((n >> step) >= d) {
            d <<= step;
            shift += step;
        }
    }
    for (;;) {
        r.quotient <<= 1;
        if (r.remainder >= d) {
            r.remainder -= d;
            r.quotient |= 1;
        }
        if (shift-- == 0)
            return r;
        d >>= 1;
    }
}

uint32_t __udivsi3(uint32_t n, uint32_t d) {
    return divide32(n, d).quotient;
}

uint32_t __umodsi3(uint32_t n, uint32_t d) {
    return divide32(n, d).remainder;
}

/* Magnitudes are formed as unsigned numbers, where the most negative one has its place too. */
static uint32_t magnitude32(int32_t v) {
    return v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
}

static uint64_t magnitude64(int64_t v) {
    return v < 0 ? 0ull - (uint64_t)v : (uint64_t)v;
}

int32_t __divsi3(int32_t n, int32_t d) {
    uint32_t q = divide32(magnitude32(n), magnitude32(d)).quotient;
    return (int32_t)((n ^ d) < 0 ? 0u - q : q);
}

int32_t __modsi3(int32_t n, int32_t d) {
    uint32_t r = divide32(magnitude32(n), magnitude32(d)).remainder;
    return (int32_t)(n < 0 ? 0u - r : r);
}

uint64_t __udivdi3(uint64_t n, uint64_t d) {
    return divide64(n, d).quotient;
}

uint64_t __umoddi3(uint64_t n, uint64_t d) {
    return divide64(n, d).remainder;
}

int64_t __divdi3(int64_t n, int64_t d) {
    uint64_t q = divide64(magnitude64(n), magnitude64(d)).quotient;
    return (int64_t)((n ^ d) < 0 ? 0ull - q : q);
}

int64_t __moddi3(int64_t n, int64_t d) {
    uint64_t r = divide64(magnitude64(n), magnitude64(d)).remainder;
    return (int64_t)(n < 0 ? 0ull - r : r);
}
