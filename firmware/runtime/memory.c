/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Memory functions: by words where both pointers allow it (a byte access costs a cycle more and moves a
 * quarter), by bytes elsewhere. Compiled with -fno-builtin, or the compiler would turn these loops into calls
 * of themselves, and with -fno-strict-aliasing, which permits the word accesses.
 */
#include "firmware/runtime/helpers.h"

#define WORD sizeof(uint32_t)

/* Makes the compiler forget how p was computed: it would compute it again from the start in each round. */
#define ADVANCE_ONLY(p) __asm__("" : "+r"(p))

static inline int both_aligned(const void* a, const void* b) {
    return (((uintptr_t)a | (uintptr_t)b) & (WORD - 1)) == 0;
}

static inline int same_offset(const void* a, const void* b) {
    return (((uintptr_t)a ^ (uintptr_t)b) & (WORD - 1)) == 0;
}

static inline __attribute__((always_inline)) void copy_up(uint8_t* to, const uint8_t* from, size_t size) {
    if (same_offset(to, from)) {
        for (; size && !both_aligned(to, from); size--)
            *to++ = *from++;
        uint32_t* t = (uint32_t*)to;
        const uint32_t* f = (const uint32_t*)from;
        for (; size >= 8 * WORD; size -= 8 * WORD, t += 8, f += 8) {
            ADVANCE_ONLY(t);
            ADVANCE_ONLY(f);
            /* Loads first: none then waits for its own result. */
            uint32_t w0 = f[0], w1 = f[1], w2 = f[2], w3 = f[3], w4 = f[4], w5 = f[5], w6 = f[6], w7 = f[7];
            t[0] = w0, t[1] = w1, t[2] = w2, t[3] = w3, t[4] = w4, t[5] = w5, t[6] = w6, t[7] = w7;
        }
        for (; size >= WORD; size -= WORD)
            *t++ = *f++;
        to = (uint8_t*)t;
        from = (const uint8_t*)f;
    }
    for (; size; size--) {
        ADVANCE_ONLY(to);
        *to++ = *from++;
    }
}

static void copy_down(uint8_t* to, const uint8_t* from, size_t size) {
    to += size;
    from += size;
    if (same_offset(to, from)) {
        for (; size && !both_aligned(to, from); size--)
            *--to = *--from;
        uint32_t* t = (uint32_t*)to;
        const uint32_t* f = (const uint32_t*)from;
        for (; size >= WORD; size -= WORD)
            *--t = *--f;
        to = (uint8_t*)t;
        from = (const uint8_t*)f;
    }
    for (; size; size--)
        *--to = *--from;
}

void* memcpy(void* restrict to, const void* restrict from, size_t size) {
    copy_up(to, from, size);
    return to;
}

void* memmove(void* to, const void* from, size_t size) {
    /* Unsigned: true also if `to` lies below `from`. */
    if ((uintptr_t)to - (uintptr_t)from >= size)
        copy_up(to, from, size);
    else
        copy_down(to, from, size);
    return to;
}

void* memset(void* to, int byte, size_t size) {
    uint8_t* p = to;
    uint8_t value = (uint8_t)byte;
    for (; size && !both_aligned(p, p); size--)
        *p++ = value;
    uint32_t word = value | (uint32_t)value << 8;
    word |= word << 16;
    uint32_t* w = (uint32_t*)p;
    for (; size >= 8 * WORD; size -= 8 * WORD, w += 8) {
        ADVANCE_ONLY(w);
        w[0] = w[1] = w[2] = w[3] = w[4] = w[5] = w[6] = w[7] = word;
    }
    for (; size >= WORD; size -= WORD)
        *w++ = word;
    p = (uint8_t*)w;
    for (; size; size--)
        *p++ = value;
    return to;
}

int memcmp(const void* a, const void* b, size_t size) {
    const uint8_t* p = a;
    const uint8_t* q = b;
    if (both_aligned(p, q)) {
        /* Stops at the first unequal word; the byte loop then finds the byte. */
        for (; size >= WORD && *(const uint32_t*)p == *(const uint32_t*)q; size -= WORD) {
            p += WORD;
            q += WORD;
        }
    }
    for (; size; size--, p++, q++)
        if (*p != *q)
            return *p - *q;
    return 0;
}
