/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/event.h"
#include "firmware/interrupt.h"
#include "firmware/tick.h"

/* The last 16 bytes of a brief event, one for each place of the WRITE channel's ring. */
static uint32_t brief[DMA_RING][4] __attribute__((aligned(16)));

/* What a frame and its event need (pieces.h). */
#define ROOM_FOR_PACKETS (2 * FW_WINDOW_PIECES + 2)

int event_brief(struct endpoint* e, enum fw_event_type type, uint32_t a, uint32_t b, uint32_t argument) {
    return dma_room(DMA_WRITE) > ROOM_FOR_PACKETS && event_brief_now(e, type, a, b, argument);
}

int event_brief_now(struct endpoint* e, enum fw_event_type type, uint32_t a, uint32_t b, uint32_t argument) {
    if (dma_room(DMA_WRITE) == 0 || !event_room(e))
        return 0;
    uint32_t* words = brief[dma[DMA_WRITE].queued & (DMA_RING - 1)];
    words[0] = a;
    words[1] = b;
    words[2] = argument;
    words[3] = event_trailer(e, type);
    dma_queue(DMA_WRITE, (uint32_t)(uintptr_t)words, e->event_high, e->event_place + FW_EVENT_SIZE - 16, 16, 0,
              DMA_TAG_NONE);
    event_written(e);
    return 1;
}

/* Number of the last event that was there when the patience of an endpoint's process began. */
static uint32_t wake_event[FW_ENDPOINTS];

static void note_unread(struct endpoint* e, uint32_t now) {
    wake_event[e->id] = e->events_written;
    e->wake_first = e->wake_last;
    e->wake_since = now;
}

void event_wake(struct endpoint* e) {
    e->wake_last = dma[DMA_WRITE].queued;
    if (e->wake_noted)
        return;
    e->wake_noted = 1;
    note_unread(e, register_load32(RTC));
    interrupt_causes++;
    tick_want(TICK_WAKES);
}

/* True if the host can see what stood in the WRITE channel up to `mark`. */
static int landed(uint32_t mark) { return (int32_t)(dma[DMA_WRITE].done - mark) >= 0; }

void event_wake_due(void) {
    uint32_t now = register_load32(RTC);
    int raise = 0;
    for (struct endpoint** p = open_endpoints; *p; p++) {
        struct endpoint* e = *p;
        if (!e->wake_noted)
            continue;
        /* Looked at first: who asks for a wake later than this looks into the ring after that, and finds them. */
        int all_there = landed(e->wake_last);
        uint32_t after = load32(&e->window->wake_after_us);
        if (after == FW_WAKE_NEVER && all_there) {
            e->wake_noted = 0; /* nobody waits: an idle card must not tick for it */
            interrupt_causes--;
            continue;
        }
        uint32_t consumed = load32(&e->window->events_consumed);
        int read = consumed == e->events_written;
        if (!read && (int32_t)(consumed - wake_event[e->id]) >= 0) {
            note_unread(e, now); /* it reads, and what is unread now came later */
            if (after)
                continue;
        }
        if (!read && (!landed(e->wake_first) || after == FW_WAKE_NEVER || now - e->wake_since < 2 * after))
            continue; /* not there, or not yet due */
        if (read || all_there) {
            e->wake_noted = 0;
            interrupt_causes--;
        } else {
            note_unread(e, now); /* later ones are on their way: once more when they are there and have waited */
        }
        if (!read) {
            struct fw_endpoint* entry = &endpoint_table[e->id];
            store32(&entry->wake_count, load32(&entry->wake_count) + 1);
            raise = 1;
        }
    }
    if (raise)
        COUNT(interrupts);
    if (raise || interrupt_causes & INTERRUPT_OWED)
        interrupt_raise();
}
