/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/bench.h"
#include "firmware/transmit.h"

/* Enough for the bus never to wait, and no more: the channel also serves pulls. */
#define BENCH_AHEAD_BYTES 16384u
#define BENCH_AHEAD_MAX   32u

static uint32_t ahead;
static uint32_t length, host_high, host_low;
static uint32_t reads_left, writes_left;
static uint32_t begun;

static void queue_ahead(void) {
    while (reads_left && DMA_RING - dma_room(DMA_LISTS) < ahead) {
        dma_queue(DMA_LISTS, BENCH_BASE, host_high, host_low, length, LANAI_DMA_READ, 0);
        reads_left--;
    }
    while (writes_left && DMA_RING - dma_room(DMA_BENCH) < ahead) {
        /* Behind the area that is read, if both run at once. */
        dma_queue(DMA_BENCH, BENCH_BASE, host_high, host_low + FW_DMABENCH_MAX, length, 0, 0);
        writes_left--;
    }
}

int bench_begin(uint32_t direction, uint32_t bytes, uint32_t count, uint32_t bus_high, uint32_t bus_low) {
    if (direction - 1 >= FW_DMABENCH_BOTH || bytes - 1 >= FW_DMABENCH_MAX || count - 1 >= 65535)
        return 0;
    length = bytes;
    ahead = BENCH_AHEAD_BYTES / bytes;
    if (ahead < 2)
        ahead = 2;
    if (ahead > BENCH_AHEAD_MAX)
        ahead = BENCH_AHEAD_MAX;
    host_high = bus_high;
    host_low = bus_low;
    reads_left = direction & FW_DMABENCH_READ ? count : 0;
    writes_left = direction & FW_DMABENCH_WRITE ? count : 0;
    begun = register_load32(CPUC);
    queue_ahead();
    return 1;
}

int bench_done(uint32_t* cycles) {
    queue_ahead();
    if (reads_left || writes_left || dma_room(DMA_LISTS) != DMA_RING || dma_room(DMA_BENCH) != DMA_RING)
        return 0;
    *cycles = register_load32(CPUC) - begun;
    return 1;
}
