/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/event.h"
#include "firmware/interrupt.h"

struct endpoint endpoints[FW_ENDPOINTS] __attribute__((aligned(128)));
struct endpoint* open_endpoints[FW_ENDPOINTS + 1];
struct endpoint* endpoint_ring;

static void list_open(void) {
    unsigned n = 0;
    for (unsigned i = 0; i < FW_ENDPOINTS; i++)
        if (endpoints[i].open)
            open_endpoints[n++] = &endpoints[i];
    open_endpoints[n] = 0;
    for (unsigned i = 0; i < n; i++)
        open_endpoints[i]->next = open_endpoints[i + 1 == n ? 0 : i + 1];
    endpoint_ring = open_endpoints[0];
}

void endpoint_open(uint32_t id) {
    const struct fw_endpoint* entry = &endpoint_table[id];
    struct endpoint* e = &endpoints[id];
    *e = (struct endpoint){
        .open = 1,
        .session = load32(&entry->session),
        .id = id,
        .id_in_header = id << 16,
        .window = (struct fw_endpoint_window*)(FW_SRAM_ENDPOINT_WINDOWS + id * FW_ENDPOINT_WINDOW_SIZE),
        .expect = FW_GENERATION(0, FW_SLOTS),
        .event_high = entry->event_ring.raw >> 32 & 0xffffffffu,
        .event_entries = load32(&entry->event_entries),
        .event_place = (uint32_t)entry->event_ring.raw,
        .event_end = (uint32_t)entry->event_ring.raw + load32(&entry->event_entries) * FW_EVENT_SIZE,
        .event_generation = FW_GENERATION(0, 1),
        .event_limit = load32(&entry->event_entries),
        .receive_high = entry->receive_ring.raw >> 32 & 0xffffffffu,
        .receive_low = (uint32_t)entry->receive_ring.raw,
        .receive_size = load32(&entry->receive_size),
        .send_high = entry->send_ring.raw >> 32 & 0xffffffffu,
        .send_low = (uint32_t)entry->send_ring.raw,
        .send_size = load32(&entry->send_size),
    };
    e->slot = e->window->slots;
    list_open();
}

void endpoint_shut(uint32_t id) {
    interrupt_causes -= endpoints[id].wake_noted;
    endpoints[id].open = 0;
    endpoints[id].event_limit = endpoints[id].events_written; /* no room: the short way needs no look at `open` */
    endpoints[id].wake_noted = 0;
    list_open();
}
