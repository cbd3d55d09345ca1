/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/slots.h"
#include "firmware/pull.h"
#include "firmware/serve.h"

static void done_without_packet(struct endpoint* e) {
    e->silent++;
    if (e->in_flight == 0)
        slots_catch_up(e);
    slot_advance(e);
}

static int bad_slot(struct endpoint* e, enum fw_slot_error error) {
    if (!event_brief(e, FW_EVENT_BAD_SLOT, e->slot_count & 0xffff, error, 0))
        return 0;
    COUNT(bad_slots);
    done_without_packet(e);
    return 1;
}

static inline void build_header(uint32_t* header, uint32_t kind, uint32_t dst_endpoint, const struct endpoint* e,
                                uint32_t length, uint32_t dst_session) {
    header[0] = WIRE_TYPE << 16 | WIRE_VERSION << 8 | kind;
    header[1] = dst_endpoint << 24 | e->id << 16 | length;
    header[2] = dst_session;
    header[3] = my_card;
}

/* The body behind what waits for its data in the transmit queue, or data from the send ring, or both. */
static int send_queued(struct endpoint* e, uint32_t kind, uint32_t peer, uint32_t dst_endpoint, uint32_t body_length,
                       uint32_t data_length) {
    if (transmit_queue_room() <= FRAMES_AHEAD || dma_room(DMA_READ) == 0)
        return 0;
    struct fw_slot* slot = e->slot;
    uint32_t staging = STAGING_NONE;
    if (data_length) {
        uint32_t offset = load32(&slot->argument);
        if (offset & 63 || offset >= e->send_size || data_length > e->send_size - offset)
            return bad_slot(e, FW_SLOT_BAD_RANGE);
        if (transmit.mediums_staged >= STAGING_BUFFERS - FRAMES_AHEAD)
            return 0;
        transmit.mediums_staged++;
        staging = staging_take();
        dma_queue(DMA_READ, staging_address(staging), e->send_high, e->send_low + offset, data_length, LANAI_DMA_READ,
                  DMA_TAG_NONE);
    }
    struct queued_packet* q = transmit_tail();
    q->peer = peer;
    build_header(q->header, kind, dst_endpoint, e, body_length + data_length, load32(&slot->dst_session));
    q->header_length = sizeof(struct wire_header);
    q->body = (uint32_t)(uintptr_t)slot + FW_SLOT_BODY - ((body_length + 7) & ~7u);
    q->body_length = body_length | (data_length ? 0 : LANAI_SEND_LAST);
    q->data = staging_address(staging);
    q->data_length = data_length ? data_length | LANAI_SEND_LAST : 0;
    q->reads_until = dma[DMA_READ].queued;
    q->release = (struct release){(uint8_t)e->id, (uint8_t)staging};
    transmit_enqueue();
    e->waiting++;
    e->in_flight++;
    slot_advance(e);
    if (data_length)
        endpoint_ring = e->next; /* others get the next staging buffer first */
    return 1;
}

static int send_direct(struct endpoint* e, uint32_t kind, uint32_t peer_index, uint32_t dst_endpoint,
                       uint32_t length) {
    if (!port_has_room() || transmit.pushed - transmit.sent >= transmit.short_limit)
        return 0;
    struct fw_slot* slot = e->slot;
    uint32_t* header = transmit_header();
    build_header(header, kind, dst_endpoint, e, length, load32(&slot->dst_session));
    transmit_begin(peer_index, header, sizeof(struct wire_header));
    port_push((uint32_t)(uintptr_t)slot + FW_SLOT_BODY - ((length + 7) & ~7u), length | LANAI_SEND_LAST);
    transmit_end((struct release){(uint8_t)e->id, STAGING_NONE});
    e->in_flight++;
    slot_advance(e);
    return 1;
}

static int retire(struct endpoint* e) {
    struct fw_slot* slot = e->slot;
    if (load16(&slot->length) != sizeof(struct fw_retire_request))
        return bad_slot(e, FW_SLOT_BAD_LENGTH);
    const struct fw_retire_request* r = (const struct fw_retire_request*)&slot->body[FW_SLOT_BODY - 8];
    uint32_t what = load8(&r->what);
    uint32_t index = load16(&r->index);
    uint32_t generation = load16(&r->generation);
    if (what == FW_RETIRE_PULL && index < FW_PULLS) {
        /* Its transfers are on the WRITE channel, and the event follows them there. */
        pull_retire(e, index, generation);
    } else if (what == FW_RETIRE_GRANT && index < FW_GRANTS) {
        serve_retire(e, index, generation);
        if (e->retiring != e->slot_count + 1) { /* which request the mark belongs to */
            e->retiring = e->slot_count + 1;
            e->retire_mark = dma[DMA_READ].queued;
        }
        if ((int32_t)(dma[DMA_READ].done - e->retire_mark) < 0)
            return 0;
    } else {
        return bad_slot(e, FW_SLOT_BAD_RANGE);
    }
    if (!event_brief(e, FW_EVENT_RETIRED, index << 16 | generation, what, 0))
        return 0;
    e->retiring = 0;
    done_without_packet(e);
    return 1;
}

static int begin_pull(struct endpoint* e, uint32_t peer, uint32_t dst_endpoint) {
    uint32_t error = pull_begin(e, peer, dst_endpoint);
    if (error)
        return bad_slot(e, error);
    done_without_packet(e);
    return 1;
}

int slot_take(struct endpoint* e) {
    struct fw_slot* slot = e->slot;
    uint32_t who = load32(&slot->peer);
    uint32_t length = load16(&slot->length);
    uint32_t type = who & 0xff;
    uint32_t dst_endpoint = who >> 8 & 0xff;
    uint32_t peer = who >> 16;
    if (type == FW_SLOT_SEND || type == FW_SLOT_CONNECT) {
        if (!peer_exists(peer))
            return bad_slot(e, FW_SLOT_BAD_PEER);
        if (!slot_length_possible(length))
            return bad_slot(e, FW_SLOT_BAD_LENGTH);
        uint32_t kind = type == FW_SLOT_SEND ? WIRE_MESSAGE : WIRE_CONNECT;
        if (e->waiting)
            return send_queued(e, kind, peer, dst_endpoint, length, 0);
        return send_direct(e, kind, peer, dst_endpoint, length);
    }
    if (type == FW_SLOT_RETIRE)
        return retire(e);
    if (type != FW_SLOT_MEDIUM && type != FW_SLOT_PULL)
        return bad_slot(e, FW_SLOT_BAD_TYPE);
    if (!peer_exists(peer))
        return bad_slot(e, FW_SLOT_BAD_PEER);
    if (type == FW_SLOT_PULL)
        return begin_pull(e, peer, dst_endpoint);
    if (length - 1 >= WIRE_DATA_MAX)
        return bad_slot(e, FW_SLOT_BAD_LENGTH);
    return send_queued(e, WIRE_MESSAGE, peer, dst_endpoint, WIRE_BODY_DATA, length);
}
