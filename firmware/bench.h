/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The DMA benchmark: `count` transfers of `bytes` bytes, reads, writes or both at once, timed by the core clock.
 *
 * Concepts: transfers are queued ahead, a few, so that the bus is never without one.
 */
#ifndef MYRI_FIRMWARE_BENCH_H
#define MYRI_FIRMWARE_BENCH_H

#include <stdint.h>

/* False: direction, bytes (1..FW_DMABENCH_MAX) or count (1..65535) out of range. */
int bench_begin(uint32_t direction, uint32_t bytes, uint32_t count, uint32_t host_high, uint32_t host_low);
/* True when all transfers are done; then *cycles says how long it took. */
int bench_done(uint32_t* cycles);

#endif
