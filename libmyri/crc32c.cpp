// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/crc32c.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace myri {

namespace {

constexpr uint32_t polynomial = 0x82f63b78; // 0x1EDC6F41 with its bits reversed

struct Tables {
    uint32_t t[8][256];
};

constexpr Tables make_tables() {
    Tables tables{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit)
            c = (c >> 1) ^ ((c & 1) ? polynomial : 0);
        tables.t[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; ++i)
        for (int k = 1; k < 8; ++k)
            tables.t[k][i] = (tables.t[k - 1][i] >> 8) ^ tables.t[0][tables.t[k - 1][i] & 0xff];
    return tables;
}

constexpr Tables tables = make_tables();

uint64_t load8(const uint8_t* p) {
    uint64_t v;
    memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

uint32_t portable_raw(uint32_t c, const uint8_t* p, size_t n) {
    for (; n >= 8; p += 8, n -= 8) {
        const uint64_t v = load8(p) ^ c;
        c = 0;
        for (int k = 0; k < 8; ++k)
            c ^= tables.t[7 - k][(v >> (8 * k)) & 0xff];
    }
    for (; n; ++p, --n)
        c = (c >> 8) ^ tables.t[0][(c ^ *p) & 0xff];
    return c;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t instruction_raw(uint32_t c, const uint8_t* p, size_t n) {
    uint64_t c64 = c;
    for (; n >= 8; p += 8, n -= 8)
        c64 = _mm_crc32_u64(c64, load8(p));
    c = static_cast<uint32_t>(c64);
    for (; n; ++p, --n)
        c = _mm_crc32_u8(c, *p);
    return c;
}

__attribute__((target("sse4.2"))) uint32_t instruction_copy(uint32_t c, uint8_t* to, const uint8_t* p,
                                                            size_t n) {
    uint64_t c64 = c;
    for (; n >= 8; p += 8, to += 8, n -= 8) {
        const uint64_t v = load8(p);
        memcpy(to, &v, 8);
        c64 = _mm_crc32_u64(c64, v);
    }
    c = static_cast<uint32_t>(c64);
    for (; n; ++p, ++to, --n) {
        *to = *p;
        c = _mm_crc32_u8(c, *p);
    }
    return c;
}

const bool has_instruction = __builtin_cpu_supports("sse4.2");
#else
const bool has_instruction = false;
uint32_t instruction_raw(uint32_t c, const uint8_t* p, size_t n) {
    return portable_raw(c, p, n);
}
uint32_t instruction_copy(uint32_t c, uint8_t* to, const uint8_t* p, size_t n) {
    memcpy(to, p, n);
    return portable_raw(c, to, n);
}
#endif

} // namespace

uint32_t crc32c_portable(uint32_t crc, const void* data, size_t length) {
    return ~portable_raw(~crc, static_cast<const uint8_t*>(data), length);
}

uint32_t crc32c(uint32_t crc, const void* data, size_t length) {
    if (has_instruction)
        return ~instruction_raw(~crc, static_cast<const uint8_t*>(data), length);
    return crc32c_portable(crc, data, length);
}

uint32_t crc32c_copy(uint32_t crc, void* to, const void* from, size_t length) {
    if (has_instruction)
        return ~instruction_copy(~crc, static_cast<uint8_t*>(to), static_cast<const uint8_t*>(from), length);
    // The checksum must be of the bytes that were stored, even if somebody changes the source meanwhile.
    memcpy(to, from, length);
    return crc32c_portable(crc, to, length);
}

bool crc32c_has_instruction() {
    return has_instruction;
}

} // namespace myri
