/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Requests that processes write into their SRAM windows.
 */
#ifndef MYRI_FIRMWARE_SLOTS_H
#define MYRI_FIRMWARE_SLOTS_H

#include "firmware/event.h"
#include "firmware/transmit.h"

/* Where the loop looks: the last word of the endpoint's next slot. True if a new request stands there. */
static inline int slot_ready(const struct endpoint* e) {
    return (load32(&e->slot->length) & 0xffff) == e->expect;
}

/* Carries out the request in the endpoint's next slot. False: something it needs is busy; it stays there. */
int slot_take(struct endpoint* e);

#endif
