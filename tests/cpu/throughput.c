/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled code of mixed kind (tables, bytes, calls through pointers, sorting) for `lanai-run --bench` and
 * --profile. Prints the CRC-32C of "123456789", which is known to be e3069283, and of a sorted array; exits 0
 * if the array is in order.
 */
#include <stdint.h>

#include "emulator/cpu/test_port.h"

#define WORDS  2048u
#define ROUNDS 40u

static uint32_t table[256];
static uint32_t words[WORDS];

static void print(char c) {
    *(volatile uint8_t*)LANAI_TEST_PRINT = (uint8_t)c;
}

static void print_hex(uint32_t v) {
    for (int shift = 28; shift >= 0; shift -= 4)
        print("0123456789abcdef"[v >> shift & 15]);
    print('\n');
}

static uint32_t crc32c(const uint8_t* p, uint32_t n) {
    uint32_t crc = ~0u;
    while (n--)
        crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
    return ~crc;
}

static int rising(uint32_t a, uint32_t b) {
    return a < b;
}
static int falling(uint32_t a, uint32_t b) {
    return a > b;
}

static void sort(uint32_t* a, uint32_t n, int (*before)(uint32_t, uint32_t)) {
    for (uint32_t gap = n / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < n; i++) {
            uint32_t v = a[i], j = i;
            for (; j >= gap && before(v, a[j - gap]); j -= gap)
                a[j] = a[j - gap];
            a[j] = v;
        }
}

int main(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t v = i;
        for (int bit = 0; bit < 8; bit++)
            v = v & 1 ? v >> 1 ^ 0x82f63b78u : v >> 1;
        table[i] = v;
    }
    print_hex(crc32c((const uint8_t*)"123456789", 9));
    uint32_t sum = 0, seed = 1, disorder = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            words[i] = seed;
        }
        sort(words, WORDS, round & 1 ? falling : rising);
        for (uint32_t i = 1; i < WORDS; i++)
            disorder += round & 1 ? words[i - 1] < words[i] : words[i - 1] > words[i];
        sum ^= crc32c((const uint8_t*)words, sizeof words);
    }
    print_hex(sum);
    *(volatile uint32_t*)LANAI_TEST_EXIT = disorder != 0;
    return 0;
}
