/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Knowing when the card touches some memory no more.
 *
 * Concepts: first nothing new is begun for it (quiet_*), then a mark is taken of everything queued so far; when all
 * queues have passed the mark, the memory is free.
 */
#ifndef MYRI_FIRMWARE_QUIET_H
#define MYRI_FIRMWARE_QUIET_H

#include "abi/lanai.h"
#include <stdint.h>

struct quiet_mark {
    uint32_t dma[LANAI_DMA_CHANNELS];
    uint32_t packets; /* given to the port */
    uint32_t queued;  /* in the transmit queue */
    uint8_t passed_queue;
    uint8_t only_dma;
};

/* Ends pulls and serves of an endpoint, or those that use one of its windows. */
void quiet_endpoint(uint32_t endpoint);
void quiet_window(uint32_t endpoint, uint32_t window);

/* `only_dma`: user memory is touched by DMA alone, an endpoint's SRAM window also by packets. */
struct quiet_mark quiet_mark_now(int only_dma);
int quiet_reached(struct quiet_mark* mark);

#endif
