/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The short way: messages whose body fits the event, when nothing is in their way.
 *
 * Concepts: these two functions stand in the main loop itself and do what slot_take() and receive_take() would do, with
 * every check, for the case that needs nothing else. Anything unusual (another kind, no room known of, an endpoint with
 * packets waiting, a flag, a bad length) answers 0 and takes the long way, which looks again from the beginning. What can
 * wait until the packet or event is on its way is done behind the store that starts it.
 */
#ifndef MYRI_FIRMWARE_SHORT_MESSAGE_H
#define MYRI_FIRMWARE_SHORT_MESSAGE_H

#include "firmware/receive.h"
#include "firmware/slots.h"

#define FIRST_WORD_MESSAGE (WIRE_TYPE << 16 | WIRE_VERSION << 8 | WIRE_MESSAGE)

/* `last_word`: of the endpoint's next slot, in which a new request stands. */
static inline __attribute__((always_inline)) int slot_short(struct endpoint* e, uint32_t last_word) {
    struct fw_slot* slot = e->slot;
    uint32_t who = load32(&slot->peer);
    uint32_t length = last_word >> 16;
    uint32_t peer = who >> 16;
    uint32_t pushed = transmit.pushed;
    /* So few packets always fit into the port's queue, without looking. */
    if ((who & 0xff) != FW_SLOT_SEND || !slot_length_possible(length) || peer >= peers_dense || e->waiting ||
        pushed - transmit.sent >= transmit.short_limit)
        return 0;
    uint32_t* header = transmit.header[pushed & (PACKETS_IN_PORT - 1)];
    IN_REGISTER(header);
    const struct peer_route* route = &peer_routes[peer];
    IN_REGISTER(route);
    header[0] = FIRST_WORD_MESSAGE;
    header[1] = (who & 0xff00) << 16 | e->id_in_header | length;
    header[2] = load32(&slot->dst_session);
    header[3] = my_card;
    port_push(route->address, route->length);
    port_push((uint32_t)(uintptr_t)header, sizeof(struct wire_header));
    port_push((uint32_t)(uintptr_t)slot + FW_SLOT_BODY - ((length + 7) & ~7u), length | LANAI_SEND_LAST);
    transmit_end((struct release){(uint8_t)e->id, STAGING_NONE});
    e->in_flight++;
    slot_advance(e);
    return 1;
}

/* `flags`: second word of the next receive descriptor, which is not 0. */
static inline __attribute__((always_inline)) int receive_short(uint32_t flags) {
    struct lanai_receive_descriptor* descriptor = receive.next;
    uint32_t* packet = (uint32_t*)load32(&descriptor->pointer);
    uint32_t second = load32(&packet[1]);
    uint32_t body = second & 0xffff;
    uint32_t id = second >> 24;
    /* One comparison for length and flags: none may be set. LAST takes the long way, it ends a buffer. */
    if (flags != body + sizeof(struct wire_header) + CHECK_BYTES || load32(&packet[0]) != FIRST_WORD_MESSAGE ||
        body > WIRE_BODY_INLINE || id >= FW_ENDPOINTS)
        return 0;
    struct endpoint* e = &endpoints[id];
    IN_REGISTER(e);
    /* A closed endpoint has no room: its counts are equal. */
    if (load32(&packet[2]) != e->session || e->events_written == e->event_limit || dma_room(DMA_WRITE) == 0)
        return 0;
    clear_behind(packet, body);
    deliver_event(e, packet, 0);
    COUNT(packets_received);
    store32(&descriptor->flags_length, 0);
    receive.next = descriptor + 1;
    return 1;
}

#endif
