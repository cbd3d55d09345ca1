/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/runtime/helpers.h"

/* One round for each bit of the smaller operand: sizes and indexes, the common case, are short. */
uint32_t __mulsi3(uint32_t a, uint32_t b) {
    if (a < b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    uint32_t product = 0;
    while (b) {
        product += a & -(b & 1);
        a <<= 1;
        b >>= 1;
    }
    return product;
}

uint64_t __muldi3(uint64_t a, uint64_t b) {
    if (a < b) {
        uint64_t swap = a;
        a = b;
        b = swap;
    }
    uint64_t product = 0;
    while (b) {
        if (b & 1)
            product += a;
        a <<= 1;
        b >>= 1;
    }
    return product;
}
