/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Where the bytes of a block lie in host memory.
 *
 * Concepts: a block of WIRE_BLOCK_SIZE bytes of a message begins anywhere in a window, so it touches at most two of the
 * window's own blocks. Their pieces are fetched from the page list in one DMA transfer; frames are then mapped by
 * walking them. The page list is the driver's and is trusted.
 */
#ifndef MYRI_FIRMWARE_PIECES_H
#define MYRI_FIRMWARE_PIECES_H

#include "firmware/dma.h"

struct pieces {
    struct fw_piece piece[2 * FW_WINDOW_PIECES];
    uint32_t skip;         /* bytes of the first window block before the transfer's block */
    uint32_t fetched_when; /* LISTS channel's count at which the pieces are here */
};

/* No transfer of a frame needs more descriptors than this. */
#define PIECES_DESCRIPTORS (2 * FW_WINDOW_PIECES)

/* Begins to fetch the pieces of `length` bytes at `offset` of a window. There must be room in the LISTS channel. */
void pieces_fetch(struct pieces* pieces, const struct fw_window* window, uint32_t offset, uint32_t length);

static inline int pieces_here(const struct pieces* pieces) {
    return (int32_t)(dma[DMA_LISTS].done - pieces->fetched_when) >= 0;
}

/*
 * Queues the transfers between SRAM and bytes `offset`.. of the block. The channel must have room for
 * PIECES_DESCRIPTORS. Returns how many were queued; each carries `tag`.
 */
uint32_t pieces_transfer(const struct pieces* pieces, uint32_t offset, uint32_t length, uint32_t sram, int reads,
                         uint32_t tag);

#endif
