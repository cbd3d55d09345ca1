/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/serve.h"
#include "firmware/pieces.h"
#include "firmware/transmit.h"

#define SERVES       16u

struct serve {
    struct endpoint* endpoint; /* NULL: free */
    uint32_t peer;             /* of the puller */
    uint32_t src;              /* its card */
    uint32_t src_endpoint, src_session;
    uint32_t grant, grant_generation;
    uint32_t handle;           /* pull << 16 | generation, echoed */
    uint32_t block, length;
    uint32_t window;
    uint32_t frame_shift;
    uint32_t wanted;           /* bit per frame */
    uint32_t need_checksum;    /* bit per frame that may not go before the checksum is there */
    uint32_t order;            /* of arrival: blocks are sent first come, first served */
};

static struct serve serves[SERVES];
static struct pieces serve_pieces[SERVES];
uint32_t serves_active;
static uint32_t arrivals;

static struct pieces* pieces_of(const struct serve* s) { return &serve_pieces[s - serves]; }

static void end(struct serve* s) {
    s->endpoint = 0;
    serves_active--;
}

/* The same block for the same puller, whatever its handle. */
static int same_block(const struct serve* s, const struct serve* t) {
    return s->endpoint == t->endpoint && s->src == t->src && s->src_endpoint == t->src_endpoint &&
           s->block == t->block && s->grant == t->grant && s->grant_generation == t->grant_generation;
}

/* The block's checksum, if it stands beside the grant. */
static int checksum(const struct serve* s, uint32_t* crc) {
    const struct fw_grant_crc* entry =
        &s->endpoint->window->grants[s->grant].crcs[s->block & (FW_GRANT_CRCS - 1)];
    uint32_t tag = s->grant_generation << 16 | s->block;
    /* The process stores both at once; if that happens between two loads, the tags differ or the first is old. */
    if (load32(&entry->tag) != tag)
        return 0;
    *crc = load32(&entry->crc);
    return load32(&entry->tag) == tag;
}

int serve_request(struct endpoint* e, const uint32_t* packet, uint32_t body, int* refused) {
    *refused = 0;
    if (body != sizeof(struct wire_pull)) {
        COUNT(bad_length);
        return 1;
    }
    uint32_t grant = load32(&packet[5]);
    uint32_t last = load32(&packet[7]);
    struct serve new = {
        .endpoint = e,
        .src = load32(&packet[3]),
        .src_endpoint = load32(&packet[1]) >> 16 & 0xff,
        .src_session = load32(&packet[4]),
        .grant = grant >> 16,
        .grant_generation = grant & 0xffff,
        .handle = load32(&packet[6]),
        .block = last >> 16,
        .frame_shift = last >> 8 & 0xff,
        .wanted = last & 0xff,
    };
    if (new.frame_shift < WIRE_FRAME_SHIFT_MIN || new.frame_shift > WIRE_FRAME_SHIFT_MAX) {
        COUNT(bad_length);
        return 1;
    }
    *refused = 1; /* unless everything holds */
    if (new.grant >= FW_GRANTS || new.grant_generation == 0)
        return 1;
    const struct fw_grant* g = &e->window->grants[new.grant];
    uint32_t generation_window = load32(&g->generation);
    uint32_t window_generation = load16(&g->window_generation);
    uint32_t offset = load32(&g->offset);
    uint32_t length = load32(&g->length);
    if (generation_window >> 16 != new.grant_generation || load8(&g->peer_endpoint) != new.src_endpoint ||
        load32(&g->peer_card) != new.src || load32(&g->peer_session) != new.src_session)
        return 1;
    new.window = generation_window & 0xffff;
    if (new.window >= FW_WINDOWS)
        return 1;
    const struct fw_window* w = &window_table[e->id][new.window];
    uint32_t window_length = load32(&w->length);
    if (window_length == 0 || load16(&w->generation) != window_generation || offset >= window_length ||
        length > window_length - offset)
        return 1;
    uint32_t before = new.block * WIRE_BLOCK_SIZE;
    if (before >= length)
        return 1;
    new.length = length - before;
    if (new.length > WIRE_BLOCK_SIZE)
        new.length = WIRE_BLOCK_SIZE;
    new.wanted &= (1u << ((new.length + (1u << new.frame_shift) - 1) >> new.frame_shift)) - 1;
    /* The process may have taken the grant back and given the place to another one while we read. */
    if (load16(&g->generation) != new.grant_generation)
        return 1;
    new.peer = peer_find(new.src);
    if (new.peer == FW_PEERS)
        return 1;
    new.need_checksum = load8(&g->flags) & FW_GRANT_IN_PLACE ? 1u << ((new.length - 1) >> new.frame_shift) : ~0u;
    *refused = 0;
    struct serve *place = 0, *idle = 0;
    for (struct serve* s = serves; s < serves + SERVES; s++) {
        uint32_t crc;
        if (!s->endpoint) {
            place = s;
        } else if (same_block(s, &new)) {
            if (s->handle == new.handle && s->frame_shift == new.frame_shift) {
                s->wanted |= new.wanted;
                /* The event that asked for the checksum found no room, or another block has taken its place. */
                if (!checksum(s, &crc))
                    event_brief(e, FW_EVENT_GRANT_ASKED, grant, new.block, 0);
                return 1;
            }
            end(s); /* of a pull that is over */
            place = s;
        } else if (!checksum(s, &crc) && (!idle || (int32_t)(s->order - idle->order) < 0)) {
            idle = s;
        }
    }
    if (new.wanted == 0)
        return 1;
    /* None free: a process that does not give its checksums must not hold up others. Its puller asks again. */
    if (!place && idle) {
        end(idle);
        place = idle;
    }
    if (!place)
        return 1; /* all are being sent; the puller asks again */
    if (dma_room(DMA_LISTS) == 0)
        return 0;
    new.order = arrivals++;
    *place = new;
    pieces_fetch(pieces_of(place), w, offset + before, new.length);
    serves_active++;
    /* News for the process; if there is no room it will see the next one. */
    event_brief(e, FW_EVENT_GRANT_ASKED, grant, new.block, 0);
    return 1;
}

static void send_frame(struct serve* s, uint32_t crc) {
    uint32_t frame = (uint32_t)__builtin_ctz(s->wanted);
    uint32_t offset = frame << s->frame_shift;
    uint32_t length = s->length - offset;
    if (length > 1u << s->frame_shift)
        length = 1u << s->frame_shift;
    uint32_t staging = staging_take();
    transmit.frames_staged++;
    pieces_transfer(pieces_of(s), offset, length, staging_address(staging), 1, DMA_TAG_NONE);
    struct queued_packet* q = transmit_tail();
    q->peer = s->peer;
    q->header[0] = WIRE_TYPE << 16 | WIRE_VERSION << 8 | WIRE_FRAME;
    q->header[1] = s->src_endpoint << 24 | s->endpoint->id << 16 | (sizeof(struct wire_frame) + length);
    q->header[2] = s->src_session;
    q->header[3] = my_card;
    q->header[4] = s->handle;
    q->header[5] = s->block << 16 | frame << 8 | (offset + length == s->length ? WIRE_FRAME_CRC : 0);
    q->header[6] = crc;
    q->header_length = sizeof(struct wire_header) + sizeof(struct wire_frame);
    q->body_length = 0;
    q->data = staging_address(staging);
    q->data_length = length | LANAI_SEND_LAST;
    q->reads_until = dma[DMA_READ].queued;
    q->release = (struct release){NO_ENDPOINT, (uint8_t)staging};
    transmit_enqueue();
    COUNT(frames_sent);
    s->wanted &= ~(1u << frame);
}

void serve_step(void) {
    struct serve* first = 0;
    uint32_t crc = 0;
    if (!transmit_queue_room() || dma_room(DMA_READ) < PIECES_DESCRIPTORS || transmit.frames_staged >= FRAMES_AHEAD)
        return;
    for (struct serve* s = serves; s < serves + SERVES; s++) {
        uint32_t block_crc = 0;
        if (!s->endpoint)
            continue;
        if (load16(&s->endpoint->window->grants[s->grant].generation) != s->grant_generation) {
            end(s); /* the process has taken the grant back: nobody will ever write the checksum */
            continue;
        }
        if ((first && (int32_t)(s->order - first->order) > 0) || !pieces_here(pieces_of(s)) ||
            (!checksum(s, &block_crc) && s->need_checksum & s->wanted & -s->wanted))
            continue;
        first = s;
        crc = block_crc;
    }
    if (!first)
        return;
    send_frame(first, crc);
    if (first->wanted == 0)
        end(first);
}

void serve_retire(struct endpoint* e, uint32_t grant, uint32_t generation) {
    for (struct serve* s = serves; s < serves + SERVES; s++)
        if (s->endpoint == e && s->grant == grant && s->grant_generation == generation)
            end(s);
}

void serve_end(uint32_t endpoint, uint32_t window) {
    for (struct serve* s = serves; s < serves + SERVES; s++)
        if (s->endpoint == &endpoints[endpoint] && (window >= FW_WINDOWS || s->window == window))
            end(s);
}
