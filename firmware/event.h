/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Events to the host.
 *
 * Concepts: an event's trailer tells everything at once: type, slots consumed, generation. A packet's event is
 * sent from the receive buffer itself (header, body, and the trailer stored into the gap); a brief one from a
 * small buffer that belongs to the DMA ring's place. The host's consumer index is looked at only when the ring
 * seems full.
 */
#ifndef MYRI_FIRMWARE_EVENT_H
#define MYRI_FIRMWARE_EVENT_H

#include "firmware/dma.h"
#include "firmware/endpoint.h"

/* True if the endpoint's ring takes one more event. */
static inline int event_room(struct endpoint* e) {
    if (e->events_written != e->event_limit)
        return 1;
    uint32_t limit = load32(&e->window->events_consumed) + e->event_entries;
    /* A consumer index ahead of what was written, or a lap behind, is the process's own nonsense: no room. */
    if (limit - e->events_written - 1 >= e->event_entries)
        return 0;
    e->event_limit = limit;
    return 1;
}

static inline uint32_t event_trailer(struct endpoint* e, enum fw_event_type type) {
    return (uint32_t)type << 24 | (uint32_t)e->slots_done << 16 | e->event_generation;
}

/* Notes that an event was written, for endpoints that sleep. */
void event_wake(struct endpoint* e);
static inline void event_written(struct endpoint* e) {
    e->slots_reported = e->slots_done;
    e->events_written++;
    if ((e->event_place += FW_EVENT_SIZE) == e->event_end) {
        e->event_place = e->event_end - e->event_entries * FW_EVENT_SIZE;
        e->event_generation = 0x8000u | ((e->event_generation + 1) & 0x7fffu);
    }
    COUNT(events);
    if (load32(&e->window->wake_after_us) != FW_WAKE_NEVER)
        event_wake(e);
}

/*
 * Writes a brief event. False: no room in the event ring or the DMA ring; try again later. event_brief() leaves the DMA
 * ring's last places to arriving packets, so that one endpoint's requests cannot hold up what others receive;
 * event_brief_now() may take the last one.
 */
int event_brief_now(struct endpoint* e, enum fw_event_type type, uint32_t a, uint32_t b, uint32_t argument);
int event_brief(struct endpoint* e, enum fw_event_type type, uint32_t a, uint32_t b, uint32_t argument);

/* Raises interrupts that are due. Called when events have reached the host and on timer ticks. */
void event_wake_due(void);

#endif
