/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * LANai X as the firmware uses it: register access and the few operations that differ between chip families.
 *
 * Concepts: a special register is one absolute load or store. Registers are named as in abi/lanai.h. What the real
 * chip does where only a register's name is known is an assumption listed in docs/hardware-assumptions.md.
 */
#ifndef MYRI_FIRMWARE_CHIP_LANAI_X_H
#define MYRI_FIRMWARE_CHIP_LANAI_X_H

#include "abi/lanai.h"
#include "firmware/chip/mmio.h"

#define REGISTER(name) ((volatile void*)(LANAI_SPECIAL + LANAI_##name))
#define register_load32(name) load32(REGISTER(name))
#define register_load8(name) load8(REGISTER(name))
#define register_store32(name, value) store32(REGISTER(name), (value))
#define register_store8(name, value) store8(REGISTER(name), (uint8_t)(value))

/*
 * Hides where a pointer came from, so that fields are reached by their offset from one register. clang would otherwise
 * load the address of each field of an indexed global anew.
 */
#define IN_REGISTER(pointer) __asm__("" : "+r"(pointer))

/* Stores one send descriptor. The port's queue must have room. */
static inline void port_push(uint32_t address, uint32_t length_flags) {
    register_store32(P0_SEND, address);
    register_store32(P0_SEND, length_flags);
}

/* Port registers want at least ten cycles between the address, the data and the next step. */
static inline void port_register_pause(void) {
    for (unsigned i = 0; i < 8; i++)
        __asm__ volatile("nop" ::: "memory");
}

static inline void port_register_write(uint16_t number, uint16_t value) {
    store16(REGISTER(PORT_ADDR), number);
    port_register_pause();
    store16(REGISTER(PORT_DATA), value);
    port_register_pause();
}

#endif
