/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets from the port.
 *
 * Concepts: the port fills receive buffers and writes a descriptor per packet behind the buffer. Packets are taken in
 * order; a buffer goes back to the port when its last packet has been taken and no DMA reads from it any more.
 */
#ifndef MYRI_FIRMWARE_RECEIVE_H
#define MYRI_FIRMWARE_RECEIVE_H

#include "firmware/event.h"
#include "firmware/transmit.h"

#define CHECK_BYTES 5u /* CRC-32 and CRC-8 behind a packet: counted in its descriptor */

struct receive {
    struct lanai_receive_descriptor* next; /* descriptor of the next packet */
    uint32_t buffer;                       /* the buffer it is in */
    uint32_t posted;                       /* buffers the port has, not yet ended by LAST */
    uint8_t order[RECEIVE_BUFFERS];        /* buffers in the order in which they were posted: a ring */
    uint32_t order_head, order_tail;
    uint32_t transfers[RECEIVE_BUFFERS];   /* DMA transfers that still read from it */
    uint8_t draining[RECEIVE_BUFFERS];     /* all packets taken, waits for its transfers */
};
extern struct receive receive;

void receive_init(void);

/* Not 0 if a packet waits: the second word of its descriptor. */
static inline uint32_t receive_ready(void) { return load32(&receive.next->flags_length); }

/* Counts a transfer that reads from the current buffer. */
static inline uint32_t receive_reading(void) {
    uint32_t buffer = receive.buffer;
    receive.transfers[buffer]++;
    return buffer;
}

/*
 * Clears what lies behind a short body up to the event's trailer: check bytes and remains of an earlier packet, which
 * may have been another endpoint's.
 */
static inline __attribute__((always_inline)) void clear_behind(uint32_t* packet, uint32_t body) {
    if (body == 24) { /* no data */
        packet[10] = packet[11] = packet[12] = packet[13] = 0;
        return;
    }
    uint32_t word = 4 + body / 4;
    if (body & 3)
        packet[word++] &= ~0u << (32 - 8 * (body & 3));
    while (word < 14)
        packet[word++] = 0;
}

/* Header, body and trailer as an event. The trailer goes behind a short body or into the gap of a longer one. */
static inline __attribute__((always_inline)) void deliver_event(struct endpoint* e, uint32_t* packet,
                                                                uint32_t position) {
    uint32_t buffer = receive.buffer;
    packet[14] = position;
    packet[15] = event_trailer(e, FW_EVENT_PACKET);
    dma_queue(DMA_WRITE, (uint32_t)(uintptr_t)packet, e->event_high, e->event_place, FW_EVENT_SIZE, 0, buffer);
    receive.transfers[buffer]++;
    event_written(e);
}

/* Handles the packet that waits. False: something it needs is busy; it stays. */
int receive_take(void);

/* WRITE-channel transfers are done: gives buffers back to the port. */
void receive_collect(void);

#endif
