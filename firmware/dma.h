/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The DMA channels as rings of descriptors.
 *
 * Concepts: a channel carries out its descriptors in order. The ring is linked once; queueing one is four stores and
 * the doorbell. `queued` and `done` count descriptors without wrapping; whoever needs to know that memory is no longer
 * touched remembers `queued` and waits until `done` has passed it. Each descriptor has a tag for whoever collects it.
 *
 *   READ   host -> card: medium data, pulled frames         WRITE  card -> host: events, received data
 *   LISTS  host -> card: page lists                         BENCH  the benchmark's writes (its reads use LISTS)
 */
#ifndef MYRI_FIRMWARE_DMA_H
#define MYRI_FIRMWARE_DMA_H

#include "firmware/globals.h"

#define DMA_READ  0
#define DMA_WRITE 1
#define DMA_LISTS 2
#define DMA_BENCH 3

#define DMA_RING 64u

#define DMA_TAG_NONE 0xffu /* WRITE channel tags: index of a receive buffer that the transfer reads from, or this */

/* A power of two in size, so that indexing is a shift. */
struct dma_cell {
    struct lanai_dma_descriptor descriptor;
    uint32_t tag;
    uint32_t reserved;
};
_Static_assert(sizeof(struct dma_cell) == 32, "indexing must be a shift");

struct dma_channel {
    uint32_t queued;
    uint32_t done;
};
extern struct dma_channel dma[LANAI_DMA_CHANNELS];
extern struct dma_cell dma_rings[LANAI_DMA_CHANNELS][DMA_RING];

void dma_init(void);

/* Descriptors that can be queued now. */
static inline uint32_t dma_room(unsigned channel) { return DMA_RING - (dma[channel].queued - dma[channel].done); }

/* The register that hands descriptors to a channel; `channel` is a constant, so this is one address. */
static inline volatile void* dma_count_register(unsigned channel) {
    return (volatile void*)(LANAI_SPECIAL + LANAI_DMA0_COUNT + 9u * channel);
}

/* Queues a transfer; there must be room. host_high/low: bus address; flags: LANAI_DMA_READ or 0. */
static inline void dma_queue(unsigned channel, uint32_t sram, uint32_t host_high, uint32_t host_low, uint32_t length,
                             uint32_t flags, uint32_t tag) {
    uint32_t queued = dma[channel].queued;
    struct dma_cell* cell = &dma_rings[channel][queued & (DMA_RING - 1)];
    IN_REGISTER(cell);
    cell->descriptor.length.raw = length | flags | LANAI_DMA_END;
    cell->descriptor.host_low.raw = host_low;
    cell->descriptor.lanai.raw = sram;
    cell->descriptor.host_high.raw = host_high;
    cell->tag = tag;
    dma[channel].queued = queued + 1;
    store8(dma_count_register(channel), 1);
}

/* Reads from the channel how far it is. */
static inline void dma_look(unsigned channel) {
    dma[channel].done = dma[channel].queued - load8(dma_count_register(channel));
}

#endif
