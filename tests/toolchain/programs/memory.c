// SPDX-License-Identifier: BSD-3-Clause
// The memory functions at all alignments of both pointers and at sizes around the word and block limits.
#include "tests/toolchain/print.h"

#ifdef __lanai__
#include "firmware/runtime/helpers.h"
#else
#include <string.h>
#endif

// Through pointers that the compiler cannot see through: the functions are really called.
static void* (*volatile copy)(void*, const void*, size_t) = memcpy;
static void* (*volatile move)(void*, const void*, size_t) = memmove;
static void* (*volatile set)(void*, int, size_t) = memset;
static int (*volatile compare)(const void*, const void*, size_t) = memcmp;

#define SIZE 96
static uint8_t one[SIZE], two[SIZE];

static NOINLINE void fill(void) {
    uint32_t seed = 99;
    for (int i = 0; i < SIZE; i++) {
        one[i] = (uint8_t)next_random(&seed);
        two[i] = (uint8_t)next_random(&seed);
    }
}

// Of the whole buffer: a byte written outside the range shows too.
static NOINLINE uint32_t hash(void) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < SIZE; i++)
        h = ((h ^ one[i]) << 5 | (h ^ one[i]) >> 27) + two[i];
    return h;
}

static const uint8_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 17, 19, 31, 32, 33, 50, 64};
#define SIZES (sizeof sizes / sizeof sizes[0])

struct block {
    uint32_t words[40];
};
static NOINLINE void copy_struct(struct block* to, const struct block* from) {
    *to = *from;
}

int main(void) {
    for (uint32_t k = 0; k < SIZES; k++) {
        uint32_t n = sizes[k];
        for (uint32_t a = 8; a < 12; a++)
            for (uint32_t b = 8; b < 12; b++) {
                fill();
                put_hex((uint32_t)(copy(one + a, two + b, n) == one + a));
                show(" memcpy", hash());
                fill();
                // Overlaps of every kind within one buffer, upwards and downwards.
                put_hex((uint32_t)(move(one + a + 4, one + b, n) == one + a + 4));
                show(" memmove up", hash());
                fill();
                move(one + a, one + b + 5, n);
                show("memmove down", hash());
                fill();
                set(one + a, (int)(0x1200 + 0x91 * b), n);
                show("memset", hash());
                fill();
                copy(one + a, two + b, n);
                put_hex((uint32_t)(compare(one + a, two + b, n) == 0));
                // One byte differs, at each place, in each direction.
                uint32_t signs = 0;
                for (uint32_t i = 0; i < n; i++) {
                    one[a + i] ^= 0x81;
                    int r = compare(one + a, two + b, n);
                    signs = signs * 3 + (r > 0 ? 2u : r < 0 ? 1u : 0u);
                    one[a + i] ^= 0x81;
                }
                show(" memcmp", signs);
            }
    }
    static struct block from, to;
    for (uint32_t i = 0; i < 40; i++)
        from.words[i] = i * 0x01010101u;
    copy_struct(&to, &from);
    for (uint32_t i = 0; i < 40; i += 13)
        show("struct", to.words[i]);
    return finish(0);
}
