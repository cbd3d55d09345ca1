/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/runtime/helpers.h"

/* count is 0..63; no 32-bit shift below is by 32 or more. */
int64_t __ashrdi3(int64_t a, int count) {
    int32_t high = (int32_t)(a >> 32);
    uint32_t low = (uint32_t)a;
    if (count == 0)
        return a;
    if (count >= 32) {
        low = (uint32_t)(high >> (count - 32));
        high >>= 31;
    } else {
        low = low >> count | (uint32_t)high << (32 - count);
        high >>= count;
    }
    return (int64_t)((uint64_t)(uint32_t)high << 32 | low);
}
