/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * An open endpoint as the main loop knows it: taken from the driver's table when it is opened.
 */
#ifndef MYRI_FIRMWARE_ENDPOINT_H
#define MYRI_FIRMWARE_ENDPOINT_H

#include "firmware/globals.h"

struct endpoint {
    uint32_t open;
    struct endpoint* next;    /* in the ring of open endpoints */
    uint32_t session;
    uint32_t id;
    uint32_t id_in_header;    /* shifted to its place */
    struct fw_endpoint_window* window;
    /* the next slot */
    struct fw_slot* slot;
    uint32_t expect;          /* its generation */
    uint32_t slot_count;
    uint32_t waiting;         /* packets of this endpoint in the transmit queue: later ones must stand behind */
    uint32_t in_flight;       /* slots whose packets have not left yet */
    /*
     * Slots are done in order. Those that send nothing wait in `silent` until no packet before them is in flight.
     */
    uint8_t silent;
    uint8_t slots_done;       /* modulo 256 */
    uint8_t slots_reported;
    uint8_t wake_noted;
    /* event ring; `limit` is how far we may write as far as we know */
    uint32_t event_high, event_entries, events_written, event_limit;
    /* of the next event: its place on the bus, and its generation, without a division */
    uint32_t event_place, event_end, event_generation;
    /* receive ring: position counts bytes without wrapping */
    uint32_t receive_low, receive_high, receive_size, receive_position;
    uint32_t send_low, send_high, send_size;
    uint32_t pulls;           /* open ones */
    uint32_t retiring, retire_mark; /* a RETIRE of a grant waits for the READ channel */
    uint32_t wake_since;      /* RTC when the oldest event that wants a wake was written */
    uint32_t wake_first, wake_last; /* counts of the WRITE channel at which the first and the last such event land */
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct endpoint) == 128, "indexing an endpoint must be a shift");

extern struct endpoint endpoints[FW_ENDPOINTS];
extern struct endpoint* open_endpoints[FW_ENDPOINTS + 1]; /* ends with NULL */
/*
 * Where the main loop begins to look for requests; NULL if none is open. It moves to the endpoint that had to wait for
 * the port, and behind one that took a buffer, so that nobody is passed over for long.
 */
extern struct endpoint* endpoint_ring;

void endpoint_open(uint32_t id);
/* Takes it out of the loop; its memory may go once what was queued for it is done (command.c). */
void endpoint_shut(uint32_t id);

#endif
