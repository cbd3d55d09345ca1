/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/pieces.h"

#define LIST_STRIDE (FW_WINDOW_PIECES * (uint32_t)sizeof(struct fw_piece)) /* page list bytes per window block */

void pieces_fetch(struct pieces* pieces, const struct fw_window* window, uint32_t offset, uint32_t length) {
    const uint32_t* list = (const uint32_t*)&window->list;
    uint32_t first = offset / WIRE_BLOCK_SIZE;
    uint32_t last = (offset + length - 1) / WIRE_BLOCK_SIZE;
    uint32_t low = load32(&list[1]);
    uint32_t place = low + first * LIST_STRIDE;
    pieces->skip = offset & (WIRE_BLOCK_SIZE - 1);
    dma_queue(DMA_LISTS, (uint32_t)(uintptr_t)pieces->piece, load32(&list[0]) + (place < low), place,
              (last - first + 1) * LIST_STRIDE, LANAI_DMA_READ, 0);
    pieces->fetched_when = dma[DMA_LISTS].queued;
}

uint32_t pieces_transfer(const struct pieces* pieces, uint32_t offset, uint32_t length, uint32_t sram, int reads,
                         uint32_t tag) {
    uint32_t before = pieces->skip + offset; /* bytes still to pass over */
    uint32_t queued = 0;
    for (uint32_t i = 0; length != 0 && i < 2 * FW_WINDOW_PIECES; i++) {
        const uint32_t* words = (const uint32_t*)&pieces->piece[i];
        uint32_t size = words[2];
        if (before >= size) { /* also an unused piece of size 0 */
            before -= size;
            continue;
        }
        uint32_t part = size - before;
        if (part > length)
            part = length;
        uint32_t low = words[1] + before;
        uint32_t high = words[0] + (low < before);
        if (reads)
            dma_queue(DMA_READ, sram, high, low, part, LANAI_DMA_READ, tag);
        else
            dma_queue(DMA_WRITE, sram, high, low, part, 0, tag);
        queued++;
        before = 0;
        length -= part;
        sram += part;
    }
    return queued;
}
