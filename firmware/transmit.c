/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/transmit.h"
#include "firmware/event.h"
#include "firmware/tick.h"

struct transmit transmit;
struct queued_packet transmit_queue[TRANSMIT_QUEUE];

void transmit_init(void) {
    transmit.short_limit = PACKETS_BEFORE_SHORT;
    transmit.staging_free = (1u << STAGING_BUFFERS) - 1;
    port_register_write(LANAI_PORT_MODE, LANAI_PORT_MODE_MYRINET);
    port_register_write(LANAI_PORT_MYRI_SEND, LANAI_PORT_AUTO_BEAT);
    port_register_write(LANAI_PORT_SEND_CONFIG, LANAI_CONFIG_ENABLE_CRC8 | LANAI_CONFIG_ENABLE_CRC32);
    register_store8(P0_SEND_FREE_LIMIT, PACKET_DESCRIPTORS);
    register_store8(P0_SEND_COUNT, 0);
    register_store8(P0_SEND_CONTROL, 0);
}

void transmit_pump(void) {
    transmit.due = 0;
    while (transmit.queue_head != transmit.queue_tail) {
        struct queued_packet* q = &transmit_queue[transmit.queue_head & (TRANSMIT_QUEUE - 1)];
        IN_REGISTER(q);
        if ((int32_t)(dma[DMA_READ].done - q->reads_until) < 0 || !port_has_room())
            break;
        if (q->data_length && transmit.pushed - transmit.sent >= PACKETS_BEFORE_DATA) {
            transmit.short_limit = PACKETS_BEFORE_DATA - 1;
            break;
        }
        transmit_begin(q->peer, q->header, q->header_length);
        if (q->body_length)
            port_push(q->body, q->body_length);
        if (q->data_length)
            port_push(q->data, q->data_length);
        if (q->release.endpoint != NO_ENDPOINT)
            endpoints[q->release.endpoint].waiting--;
        transmit_end(q->release);
        transmit.queue_head++;
        transmit.short_limit = PACKETS_BEFORE_SHORT;
    }
}

/* How many consumed slots may go untold: a quarter, so that a sender that hears of nothing else keeps going. */
#define SLOTS_UNTOLD (FW_SLOTS / 4)

void slots_report(struct endpoint* e) {
    if ((uint8_t)(e->slots_done - e->slots_reported) < SLOTS_UNTOLD)
        return;
    if (!event_brief(e, FW_EVENT_SLOTS, 0, 0, 0))
        tick_want(TICK_SLOTS);
}

void slots_catch_up(struct endpoint* e) {
    e->slots_done = (uint8_t)(e->slots_done + e->silent);
    e->silent = 0;
    slots_report(e);
}

static void slot_sent(struct endpoint* e) {
    if (!e->open)
        return;
    e->slots_done++;
    if (--e->in_flight == 0)
        slots_catch_up(e);
    else
        slots_report(e);
}

void transmit_collect(void) {
    uint32_t sent = transmit.sent + ((register_load8(P0_SEND_COUNT) - transmit.sent) & 0xff);
    while (transmit.sent != sent) {
        struct release release = transmit.in_port[transmit.sent & (PACKETS_IN_PORT - 1)];
        if (release.endpoint != NO_ENDPOINT)
            slot_sent(&endpoints[release.endpoint]);
        if (release.staging != STAGING_NONE) {
            transmit.staging_free |= 1u << release.staging;
            if (release.endpoint == NO_ENDPOINT)
                transmit.frames_staged--;
            else
                transmit.mediums_staged--;
        }
        transmit.sent++;
    }
}
