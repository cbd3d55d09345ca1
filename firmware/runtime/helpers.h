/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The functions that the compiler calls where LANai has no instruction. There is no C library on the card and
 * no compiler-rt for LANai; names and meanings are those of libgcc and of <string.h>. A division by zero
 * gives a quotient of all ones and the dividend as remainder: the chip has no trap that would be of use.
 */
#ifndef MYRI_FIRMWARE_RUNTIME_HELPERS_H
#define MYRI_FIRMWARE_RUNTIME_HELPERS_H

#include <stddef.h>
#include <stdint.h>

uint32_t __mulsi3(uint32_t a, uint32_t b);
uint32_t __udivsi3(uint32_t n, uint32_t d);
uint32_t __umodsi3(uint32_t n, uint32_t d);
int32_t __divsi3(int32_t n, int32_t d);
int32_t __modsi3(int32_t n, int32_t d);

uint64_t __muldi3(uint64_t a, uint64_t b);
uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);
int64_t __divdi3(int64_t n, int64_t d);
int64_t __moddi3(int64_t n, int64_t d);
int64_t __ashrdi3(int64_t a, int count);

void* memcpy(void* restrict to, const void* restrict from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int byte, size_t size);
int memcmp(const void* a, const void* b, size_t size);

#endif
