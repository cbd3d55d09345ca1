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

/* True if a packet waits. */
static inline int receive_ready(void) { return load32(&receive.next->flags_length) != 0; }

/* Handles the packet that waits. False: something it needs is busy; it stays. */
int receive_take(void);

/* WRITE-channel transfers are done: gives buffers back to the port. */
void receive_collect(void);

#endif
