/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/receive.h"
#include "firmware/nack.h"
#include "firmware/pull.h"
#include "firmware/serve.h"
#include "firmware/stop.h"

struct receive receive;

static uint32_t buffer_address(uint32_t buffer) { return FW_SRAM_BUFFERS + buffer * RECEIVE_STRIDE; }

static struct lanai_receive_descriptor* buffer_descriptors(uint32_t buffer) {
    return (struct lanai_receive_descriptor*)(buffer_address(buffer) + RECEIVE_BUFFER_SIZE);
}

static void post(uint32_t buffer) {
    receive.order[receive.order_tail++ & (RECEIVE_BUFFERS - 1)] = (uint8_t)buffer;
    receive.posted++;
    register_store32(P0_RB, buffer_address(buffer));
}

/* Buffers that nobody uses wait in `free`, a bit each. */
static uint32_t free_buffers;

static void post_free(void) {
    while (free_buffers && receive.posted < LANAI_RECEIVE_QUEUE) {
        uint32_t buffer = 0;
        while (!(free_buffers & 1u << buffer))
            buffer++;
        free_buffers &= ~(1u << buffer);
        post(buffer);
    }
}

void receive_init(void) {
    for (uint32_t b = 0; b < RECEIVE_BUFFERS; b++)
        for (uint32_t i = 0; i < RECEIVE_DESCRIPTORS; i++)
            buffer_descriptors(b)[i].flags_length.raw = 0;
    port_register_write(LANAI_PORT_RECV_CONFIG, LANAI_CONFIG_ENABLE_CRC8 | LANAI_CONFIG_ENABLE_CRC32 |
                                                    LANAI_CONFIG_INVALIDATE_CRC8 | LANAI_CONFIG_INVALIDATE_CRC32);
    free_buffers = (1u << RECEIVE_BUFFERS) - 1;
    register_store32(P0_RPL_CONFIG, LANAI_RPL_ENABLE | LANAI_RPL_HEADER_LENGTH(16) |
                                        LANAI_RPL_STOP_SIZE(RECEIVE_STOP_CODE) |
                                        LANAI_RPL_MAX_PACKET(RECEIVE_PACKET_CODE) |
                                        LANAI_RPL_BLOCK_SIZE(RECEIVE_BLOCK_CODE) |
                                        LANAI_RPL_BUFFER_SIZE(RECEIVE_BUFFER_CODE));
    post_free();
    receive.buffer = receive.order[receive.order_head++ & (RECEIVE_BUFFERS - 1)];
    receive.next = buffer_descriptors(receive.buffer);
}

static void buffer_unused(uint32_t buffer) {
    receive.draining[buffer] = 0;
    free_buffers |= 1u << buffer;
    post_free();
}

void receive_collect(void) {
    uint32_t done = dma[DMA_WRITE].done;
    dma_look(DMA_WRITE);
    for (; done != dma[DMA_WRITE].done; done++) {
        uint32_t buffer = dma_rings[DMA_WRITE][done & (DMA_RING - 1)].tag;
        if (buffer == DMA_TAG_NONE)
            continue;
        if (--receive.transfers[buffer] == 0 && receive.draining[buffer])
            buffer_unused(buffer);
    }
}

static void next_buffer(void) {
    uint32_t ended = receive.buffer;
    receive.posted--;
    receive.draining[ended] = 1;
    if (receive.transfers[ended] == 0)
        buffer_unused(ended);
    /* With four buffers and a queue of two, another one is posted whenever this one was not the port's last. */
    if (receive.order_head == receive.order_tail)
        post_free();
    if (receive.order_head == receive.order_tail)
        firmware_stop(FW_ERROR_MEMORY); /* the port ended a buffer that was its last: it never should */
    receive.buffer = receive.order[receive.order_head++ & (RECEIVE_BUFFERS - 1)];
    receive.next = buffer_descriptors(receive.buffer);
}

static int refuse(const uint32_t* packet, enum wire_refusal reason) {
    nack_send(packet, reason);
    return 1; /* dealt with */
}

/* A MESSAGE, CONNECT or NACK for an endpoint that takes it. */
static int deliver(struct endpoint* e, uint32_t* packet, uint32_t body) {
    uint32_t position = 0;
    if (!event_room(e))
        return refuse(packet, WIRE_REFUSED_FULL);
    if (dma_room(DMA_WRITE) < 2)
        return 0;
    if (body > WIRE_BODY_INLINE) {
        uint32_t length = body - WIRE_BODY_DATA;
        if (length - 1 >= WIRE_DATA_MAX) {
            COUNT(bad_length);
            return 1;
        }
        uint32_t size = (length + FW_RECEIVE_ALIGN - 1) & ~(FW_RECEIVE_ALIGN - 1);
        position = e->receive_position;
        uint32_t offset = position & (e->receive_size - 1);
        if (offset + size > e->receive_size) {
            position += e->receive_size - offset;
            offset = 0;
        }
        if (position + size - load32(&e->window->receive_consumed) > e->receive_size)
            return refuse(packet, WIRE_REFUSED_FULL);
        e->receive_position = position + size;
        dma_queue(DMA_WRITE, (uint32_t)(uintptr_t)packet + sizeof(struct wire_header) + WIRE_BODY_DATA,
                  e->receive_high, e->receive_low + offset, length, 0, receive_reading());
    } else {
        clear_behind(packet, body);
    }
    deliver_event(e, packet, position);
    return 1;
}

/* Not one of ours: says in a counter what it was. */
static void foreign(uint32_t first_word) {
    if (first_word & 0x80000000u)
        COUNT(unstripped_route);
    else
        COUNT(bad_type);
}

static int handle(uint32_t* packet, uint32_t length) {
    uint32_t first = load32(&packet[0]);
    if (first >> 8 != (WIRE_TYPE << 8 | WIRE_VERSION)) {
        foreign(first);
        return 1;
    }
    uint32_t second = load32(&packet[1]);
    uint32_t body = second & 0xffff;
    if (length != body + sizeof(struct wire_header) + CHECK_BYTES) {
        COUNT(bad_length);
        return 1;
    }
    uint32_t kind = first & 0xff;
    uint32_t id = second >> 24;
    struct endpoint* e = &endpoints[id & (FW_ENDPOINTS - 1)];
    IN_REGISTER(e);
    if (id < FW_ENDPOINTS && !e->open && load32(&endpoint_table[id].state) == FW_ENDPOINT_HELD) {
        COUNT(dropped_held); /* its process will be back, and then its peers' repeats are taken */
        return 1;
    }
    if (id >= FW_ENDPOINTS || !e->open) {
        if (kind == WIRE_NACK) {
            COUNT(nacks_received); /* refusing a refusal would be no news */
            return 1;
        }
        COUNT(refused_closed);
        return refuse(packet, WIRE_REFUSED_CLOSED);
    }
    if (kind == WIRE_CONNECT)
        return deliver(e, packet, body);
    if (kind != WIRE_NACK && load32(&packet[2]) != e->session) {
        COUNT(refused_session);
        return refuse(packet, WIRE_REFUSED_SESSION);
    }
    if (kind == WIRE_MESSAGE)
        return deliver(e, packet, body);
    if (kind == WIRE_FRAME)
        return pull_frame(e, packet, body);
    if (kind == WIRE_PULL) {
        int refused;
        if (!serve_request(e, packet, body, &refused))
            return 0;
        if (refused) {
            COUNT(refused_grant);
            return refuse(packet, WIRE_REFUSED_GRANT);
        }
        return 1;
    }
    if (kind == WIRE_NACK) {
        COUNT(nacks_received);
        return body == sizeof(struct wire_nack) ? deliver(e, packet, body) : 1;
    }
    COUNT(bad_type);
    return 1;
}

int receive_take(void) {
    struct lanai_receive_descriptor* descriptor = receive.next;
    uint32_t flags = load32(&descriptor->flags_length);
    uint32_t* packet = (uint32_t*)load32(&descriptor->pointer);
    if (flags & (LANAI_RPD_INVALID | LANAI_RPD_MARKED_BAD))
        COUNT(bad_crc);
    else if (!handle(packet, flags & LANAI_RPD_LENGTH))
        return 0;
    COUNT(packets_received);
    store32(&descriptor->flags_length, 0);
    if (flags & LANAI_RPD_LAST)
        next_buffer();
    else
        receive.next = descriptor + 1;
    return 1;
}
