/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/dma.h"

struct dma_channel dma[LANAI_DMA_CHANNELS];
struct dma_cell dma_rings[LANAI_DMA_CHANNELS][DMA_RING] __attribute__((aligned(8)));

void dma_init(void) {
    for (unsigned channel = 0; channel < LANAI_DMA_CHANNELS; channel++) {
        for (unsigned i = 0; i < DMA_RING; i++) {
            const struct lanai_dma_descriptor* next = &dma_rings[channel][(i + 1) & (DMA_RING - 1)].descriptor;
            dma_rings[channel][i].descriptor.next.raw = LANAI_DMA_NEXT_VALID | (uint32_t)(uintptr_t)next;
        }
        store32((volatile void*)(LANAI_SPECIAL + LANAI_DMA0_POINTER + 8u * channel),
                (uint32_t)(uintptr_t)dma_rings[channel]);
    }
    register_store32(DMA_CONFIG, register_load32(DMA_CONFIG) | LANAI_DMA_ENABLE);
}
