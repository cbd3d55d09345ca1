/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Access to special registers and to SRAM that an engine or the host also reads and writes.
 *
 * Concepts: the compiler may move a volatile load into a delay slot below another volatile load, so plain
 * volatile does not keep the order of two reads. A load here is therefore followed by an empty assembler line
 * that clobbers memory, which nothing that touches memory passes (and which costs no instruction). Stores
 * kept their order everywhere; theirs is preceded by the same line, so that ordinary stores before it are
 * done before it.
 *
 * The address must be a multiple of the access size. Nothing here waits or fails.
 */
#ifndef MYRI_FIRMWARE_CHIP_MMIO_H
#define MYRI_FIRMWARE_CHIP_MMIO_H

#include <stdint.h>

static inline void memory_order(void) {
    __asm__ volatile("" ::: "memory");
}

static inline uint32_t load32(const volatile void* address) {
    uint32_t value = *(const volatile uint32_t*)address;
    memory_order();
    return value;
}

static inline uint16_t load16(const volatile void* address) {
    uint16_t value = *(const volatile uint16_t*)address;
    memory_order();
    return value;
}

static inline uint8_t load8(const volatile void* address) {
    uint8_t value = *(const volatile uint8_t*)address;
    memory_order();
    return value;
}

static inline void store32(volatile void* address, uint32_t value) {
    memory_order();
    *(volatile uint32_t*)address = value;
}

static inline void store16(volatile void* address, uint16_t value) {
    memory_order();
    *(volatile uint16_t*)address = value;
}

static inline void store8(volatile void* address, uint8_t value) {
    memory_order();
    *(volatile uint8_t*)address = value;
}

#endif
