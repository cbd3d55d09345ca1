// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 and CRC-32C, bit by bit and by table, and the Internet checksum.
#include "tests/toolchain/print.h"

static uint32_t table[256];
static uint8_t data[1031];

static NOINLINE uint32_t crc_bitwise(uint32_t polynomial, const uint8_t* p, uint32_t n) {
    uint32_t crc = 0xffffffffu;
    while (n--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++)
            crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    }
    return ~crc;
}

static NOINLINE void make_table(uint32_t polynomial) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t v = i;
        for (int k = 0; k < 8; k++)
            v = v >> 1 ^ (polynomial & (0u - (v & 1u)));
        table[i] = v;
    }
}

static NOINLINE uint32_t crc_by_table(const uint8_t* p, uint32_t n) {
    uint32_t crc = 0xffffffffu;
    while (n--)
        crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
    return ~crc;
}

static NOINLINE uint16_t internet_checksum(const uint8_t* p, uint32_t n) {
    uint32_t sum = 0;
    for (; n > 1; n -= 2, p += 2)
        sum += (uint32_t)p[0] << 8 | p[1];
    if (n)
        sum += (uint32_t)p[0] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

int main(void) {
    static const uint32_t polynomials[2] = {0xedb88320u, 0x82f63b78u};
    const uint8_t* check = (const uint8_t*)"123456789"; // published: cbf43926 and e3069283
    uint32_t seed = 1;
    for (uint32_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)next_random(&seed);
    for (int k = 0; k < 2; k++) {
        make_table(polynomials[k]);
        show("bitwise", crc_bitwise(polynomials[k], check, 9));
        show("table", crc_by_table(check, 9));
        for (uint32_t n = 0; n <= sizeof data; n += 343) {
            show("bitwise", crc_bitwise(polynomials[k], data, n));
            show("table", crc_by_table(data, n));
        }
    }
    for (uint32_t n = 0; n < 40; n++)
        show("internet", internet_checksum(data + n % 3, n * 25));
    return finish(0);
}
