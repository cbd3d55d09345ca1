/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Requests that processes write into their SRAM windows.
 */
#ifndef MYRI_FIRMWARE_SLOTS_H
#define MYRI_FIRMWARE_SLOTS_H

#include "firmware/event.h"
#include "firmware/transmit.h"

/* Where the loop looks: the last word of the endpoint's next slot; a new request has the expected generation. */
static inline uint32_t slot_last_word(const struct endpoint* e) { return load32(&e->slot->length); }
static inline int slot_is_new(const struct endpoint* e, uint32_t last_word) {
    return (last_word & 0xffff) == e->expect;
}

/* The longest body that goes out of a slot: inline part, gap, data. Bodies that end in the gap make no sense. */
#define SLOT_DATA_MAX 128u
static inline int slot_length_possible(uint32_t length) {
    return length - 1 < WIRE_BODY_INLINE || length - WIRE_BODY_DATA - 1 < SLOT_DATA_MAX;
}

static inline void slot_advance(struct endpoint* e) {
    uint32_t next = ++e->slot_count;
    if ((next & (FW_SLOTS - 1)) == 0) {
        e->slot = e->window->slots;
        e->expect = FW_GENERATION(next, FW_SLOTS);
    } else {
        e->slot++;
    }
}

/* Carries out the request in the endpoint's next slot. False: something it needs is busy; it stays there. */
int slot_take(struct endpoint* e);

#endif
