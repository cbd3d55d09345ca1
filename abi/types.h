/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Fixed-width integers and big-endian fields for every contract in abi/.
 *
 * The card is big-endian, hosts usually are not. A big-endian field has a type of its own, so that reading
 * one without cpu_to_beNN()/beNN_to_cpu() does not compile. In the kernel these are the kernel's own checked
 * types; everywhere else (firmware, library, emulator) they are distinct structs with the same names.
 */
#ifndef MYRI_ABI_TYPES_H
#define MYRI_ABI_TYPES_H

#ifdef __KERNEL__

#include <linux/types.h>
#include <asm/byteorder.h>
typedef __be16 be16;
typedef __be32 be32;
typedef __be64 be64;
#define MYRI_STATIC_ASSERT(condition, text) _Static_assert(condition, text)

#else

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint16_t raw;
} be16;
typedef struct {
    uint32_t raw;
} be32;
typedef struct {
    uint64_t raw;
} be64;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define MYRI_SWAP16(v) (v)
#define MYRI_SWAP32(v) (v)
#define MYRI_SWAP64(v) (v)
#else
#define MYRI_SWAP16(v) __builtin_bswap16(v)
#define MYRI_SWAP32(v) __builtin_bswap32(v)
#define MYRI_SWAP64(v) __builtin_bswap64(v)
#endif

static inline be16 cpu_to_be16(uint16_t v) {
    be16 r;
    r.raw = MYRI_SWAP16(v);
    return r;
}
static inline be32 cpu_to_be32(uint32_t v) {
    be32 r;
    r.raw = MYRI_SWAP32(v);
    return r;
}
static inline be64 cpu_to_be64(uint64_t v) {
    be64 r;
    r.raw = MYRI_SWAP64(v);
    return r;
}
static inline uint16_t be16_to_cpu(be16 v) { return MYRI_SWAP16(v.raw); }
static inline uint32_t be32_to_cpu(be32 v) { return MYRI_SWAP32(v.raw); }
static inline uint64_t be64_to_cpu(be64 v) { return MYRI_SWAP64(v.raw); }

#ifdef __cplusplus
#define MYRI_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define MYRI_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#endif /* __KERNEL__ */

#define MYRI_ASSERT_SIZE(type, size) MYRI_STATIC_ASSERT(sizeof(type) == (size), #type " must be " #size " bytes")
#define MYRI_ASSERT_OFFSET(type, field, offset)                                                                    \
    MYRI_STATIC_ASSERT(offsetof(type, field) == (offset), #type "." #field " must be at " #offset)

#endif /* MYRI_ABI_TYPES_H */
