/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/interrupt.h"
#include "firmware/dma.h"

uint32_t interrupt_causes;

/* The words under way, one for each place of a channel's ring, in the byte order of the bus. */
static uint32_t words[DMA_RING];

static inline uint32_t little_endian(uint32_t value) {
    return value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24;
}

/* False: MSI is off. The driver changes msi_enabled before and after what belongs to it. */
static inline __attribute__((always_inline)) int write_message(unsigned channel) {
    uint32_t enabled, high, low, data;
    do {
        enabled = load32(&globals.msi_enabled);
        high = load32(&globals.msi_address_high);
        low = load32(&globals.msi_address_low);
        data = load32(&globals.msi_data);
    } while (load32(&globals.msi_enabled) != enabled);
    if (!enabled)
        return 0;
    uint32_t* word = &words[dma[channel].queued & (DMA_RING - 1)];
    *word = little_endian(data);
    dma_queue(channel, (uint32_t)(uintptr_t)word, high, low, 4, 0, DMA_TAG_NONE);
    return 1;
}

void interrupt_raise(void) {
    if (load32(&globals.msi_enabled) && dma_room(DMA_WRITE) == 0) {
        interrupt_causes |= INTERRUPT_OWED;
        return;
    }
    interrupt_causes &= ~INTERRUPT_OWED;
    if (!write_message(DMA_WRITE))
        register_store32(ISR, LANAI_ISR_REQ_ACK_0);
}

void interrupt_raise_last(void) {
    if (dma_room(DMA_BENCH))
        write_message(DMA_BENCH);
}
