/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets on their way to the port.
 *
 * Concepts: a packet whose bytes are all in SRAM goes straight into the port's descriptor queue. One that waits for
 * its data from the host stands in the transmit queue, and so does everything that must not overtake it: packets of
 * the same endpoint. The queue's head goes out when its data is there and the port has room. What a packet occupies
 * (its slot, a staging buffer) is released when it has left the port.
 */
#ifndef MYRI_FIRMWARE_TRANSMIT_H
#define MYRI_FIRMWARE_TRANSMIT_H

#include "firmware/dma.h"
#include "firmware/endpoint.h"

#define STAGING_BUFFERS 12u
#define STAGING_SIZE    (1u << WIRE_FRAME_SHIFT_MAX)
#define STAGING_NONE    0xffu
/* Frames may hold so many of them: enough for the bus to stay ahead of the link; the rest is for mediums. */
#define FRAMES_AHEAD 4u
/* A packet with data enters the port only behind fewer than this, so that short messages do not wait for long. */
#define PACKETS_BEFORE_DATA 3u
#define PACKETS_BEFORE_SHORT (LANAI_SEND_QUEUE / PACKET_DESCRIPTORS)
#define NO_ENDPOINT     0xffu

/* The port's queue holds LANAI_SEND_QUEUE descriptors and a packet takes at most PACKET_DESCRIPTORS. */
#define PACKET_DESCRIPTORS 4u
#define PACKETS_IN_PORT    16u /* a power of two above LANAI_SEND_QUEUE / 2 */
#define HEADER_WORDS       7u  /* wire header and frame header */

struct release {
    uint8_t endpoint; /* whose slot is done, or NO_ENDPOINT */
    uint8_t staging;  /* buffer to free, or STAGING_NONE */
};

struct transmit {
    uint32_t pushed; /* packets given to the port, not wrapping */
    uint32_t sent;
    struct release in_port[PACKETS_IN_PORT];
    uint32_t header[PACKETS_IN_PORT][8];
    uint32_t queue_head, queue_tail; /* entries of the transmit queue, not wrapping */
    uint32_t due;                    /* not 0: the queue's head may be able to go; looked at in each pass */
    uint32_t staging_free;           /* bit per buffer */
    uint32_t frames_staged, mediums_staged;
    /* Short packets enter the port behind fewer than this; fewer still while data waits at the queue's head. */
    uint32_t short_limit;
};
extern struct transmit transmit;

#define TRANSMIT_QUEUE 32u
/* One size for all, 64 bytes, so that indexing is a shift. The last part's length carries LANAI_SEND_LAST. */
struct queued_packet {
    uint32_t header[HEADER_WORDS];
    uint32_t header_length;
    uint32_t peer;
    uint32_t body, body_length; /* from a slot; length 0: none */
    uint32_t data, data_length; /* from a staging buffer; length 0: none */
    uint32_t reads_until;       /* data is there when the READ channel has done so many descriptors */
    struct release release;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct queued_packet) == 64, "indexing must be a shift");
extern struct queued_packet transmit_queue[TRANSMIT_QUEUE];

void transmit_init(void);

/* Room for one more packet: in the port's queue, and for the record of what it occupies. */
static inline int port_has_room(void) {
    return register_load8(P0_SEND_FREE_COUNT) >= PACKET_DESCRIPTORS &&
           transmit.pushed - transmit.sent < PACKETS_IN_PORT;
}
/* A packet's header is sent from its place in the queue: places behind the head may still be in the port. */
#define QUEUED_IN_PORT (LANAI_SEND_QUEUE / 2)
/* Requests of endpoints leave the queue's last places to frames. */
static inline uint32_t transmit_queue_room(void) {
    return TRANSMIT_QUEUE - QUEUED_IN_PORT - (transmit.queue_tail - transmit.queue_head);
}

/* Header words of the next packet that goes straight to the port. */
static inline uint32_t* transmit_header(void) {
    uint32_t* header = transmit.header[transmit.pushed & (PACKETS_IN_PORT - 1)];
    IN_REGISTER(header);
    return header;
}

/* Pushes route and header of the next packet; its other parts must follow, the last with LANAI_SEND_LAST. */
static inline void transmit_begin(uint32_t peer, const uint32_t* header, uint32_t header_length) {
    const struct peer_route* route = &peer_routes[peer];
    IN_REGISTER(route);
    port_push(route->address, route->length);
    port_push((uint32_t)(uintptr_t)header, header_length);
}

static inline void transmit_end(struct release release) {
    uint32_t pushed = transmit.pushed;
    transmit.in_port[pushed & (PACKETS_IN_PORT - 1)] = release;
    transmit.pushed = pushed + 1;
    COUNT(packets_sent);
}

/* The place at the queue's end (there must be room); transmit_enqueue() makes it count. */
static inline struct queued_packet* transmit_tail(void) {
    struct queued_packet* q = &transmit_queue[transmit.queue_tail & (TRANSMIT_QUEUE - 1)];
    IN_REGISTER(q);
    return q;
}
static inline void transmit_enqueue(void) {
    transmit.queue_tail++;
    transmit.due = 1;
}

/* A packet has left: what stands in the queue may go now. */
static inline void transmit_look(void) { transmit.due = transmit.queue_head ^ transmit.queue_tail; }
/* Sends from the head of the queue what can go. */
void transmit_pump(void);
/* The port has sent something: releases what it occupied. */
void transmit_collect(void);

/* Counts the slots that sent nothing as done; only when no packet of the endpoint is in flight. */
void slots_catch_up(struct endpoint* e);
/* Tells the process of consumed slots, if it has not heard for long. */
void slots_report(struct endpoint* e);

/* A staging buffer's number, or STAGING_NONE. */
static inline uint32_t staging_take(void) {
    uint32_t free = transmit.staging_free;
    if (free == 0)
        return STAGING_NONE;
    transmit.staging_free = free & (free - 1);
    return (uint32_t)__builtin_ctz(free);
}

/* ---- layout of the buffer area ---- */
#define RECEIVE_BUFFERS     4u
#define RECEIVE_BUFFER_CODE 7u /* 512 B << 7 = 64 KiB */
#define RECEIVE_BLOCK_CODE  4u /* 8 B << 4 = 128 B */
#define RECEIVE_PACKET_CODE 5u /* 512 B << 5 = 16 KiB */
#define RECEIVE_STOP_CODE   6u /* 512 B << 6 = 32 KiB */
#define RECEIVE_BUFFER_SIZE (512u << RECEIVE_BUFFER_CODE)
#define RECEIVE_DESCRIPTORS (RECEIVE_BUFFER_SIZE / (8u << RECEIVE_BLOCK_CODE))
#define RECEIVE_STRIDE      (RECEIVE_BUFFER_SIZE + RECEIVE_DESCRIPTORS * 8u)
#define STAGING_BASE        (FW_SRAM_BUFFERS + RECEIVE_BUFFERS * RECEIVE_STRIDE)
#define BENCH_BASE          (STAGING_BASE + STAGING_BUFFERS * STAGING_SIZE)
_Static_assert(BENCH_BASE + FW_DMABENCH_MAX <= (2u << 20) - LANAI_EEPROM_SIZE, "buffers must fit into 2 MiB");

static inline uint32_t staging_address(uint32_t buffer) { return STAGING_BASE + buffer * STAGING_SIZE; }

#endif
