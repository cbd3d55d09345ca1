/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/pull.h"
#include "firmware/pieces.h"
#include "firmware/receive.h"
#include "firmware/tick.h"

#define FRAME_SHIFT      WIRE_FRAME_SHIFT_MAX
#define FRAME_SIZE       (1u << FRAME_SHIFT)
#define PULL_BLOCKS_OPEN 2u
#define BLOCK_CONTEXTS   16u
/*
 * Blocks that may be under way at once: enough to keep the link busy, and no more, so that older pulls end first and
 * not all together. A block that has been asked for in vain does not count: a dead peer must not hold up the others.
 */
#define BLOCKS_UNDER_WAY 6u

/*
 * Nothing new of a block for so long: ask again. Each other open block may have to be sent before it. Doubles with
 * each try up to RETRY_MAX. In RTC ticks (0.5 us).
 */
#define RETRY_FIRST     600u
#define RETRY_PER_BLOCK 300u /* 131 us on the wire */
#define RETRY_MAX       200000u
/* A pull without news gives its block contexts back at the latest after this; the library may begin it again. */
#define DEADLINE_MAX_MS 2000u

struct block {
    struct pull* pull; /* NULL: free */
    uint32_t number;   /* in the grant */
    uint32_t length;
    uint32_t missing; /* bit per frame */
    uint32_t asked;   /* its request has been sent */
    uint32_t crc;
    uint32_t last_news; /* RTC */
    uint32_t tries;        /* requests repeated since the last news */
    struct pieces pieces;
};

struct pull {
    uint32_t open;
    uint32_t unreported;   /* it has failed, but the event has found no room yet; the handle is not free */
    uint32_t generation;
    struct endpoint* endpoint;
    uint32_t index;
    uint32_t peer, peer_card, dst_endpoint, dst_session;
    uint32_t grant_and_generation;
    uint32_t window, window_offset;
    uint32_t first_block, next_block, end_block; /* next: the first one not opened yet */
    uint32_t length;
    uint32_t open_blocks;
    uint32_t order;        /* of arrival: older pulls go first */
    uint32_t last_news; /* RTC of the last new frame */
    uint32_t deadline;  /* RTC ticks */
};

static struct pull pulls[FW_ENDPOINTS][FW_PULLS];
static struct block blocks[BLOCK_CONTEXTS];
static uint32_t pulls_open, pulls_begun, pulls_unreported;
static uint32_t blocks_open;
uint32_t pull_work;

uint32_t pull_begin(struct endpoint* e, uint32_t peer, uint32_t dst_endpoint) {
    struct fw_slot* slot = e->slot;
    if (load16(&slot->length) != sizeof(struct fw_pull_request))
        return FW_SLOT_BAD_LENGTH;
    const struct fw_pull_request* r = (const struct fw_pull_request*)&slot
                                          ->body[FW_SLOT_BODY - ((sizeof(struct fw_pull_request) + 7) & ~7u)];
    uint32_t index = load16(&r->pull);
    uint32_t generation = load16(&r->pull_generation);
    uint32_t window = load16(&r->window);
    uint32_t offset = load32(&r->window_offset);
    uint32_t first = load16(&r->first_block);
    uint32_t count = load16(&r->block_count);
    uint32_t length = load32(&r->length);
    uint32_t deadline_ms = load32(&r->deadline_ms);
    if (index >= FW_PULLS || window >= FW_WINDOWS)
        return FW_SLOT_BAD_RANGE;
    struct pull* p = &pulls[e->id][index];
    if (p->open || p->unreported)
        return FW_SLOT_BAD_STATE;
    const struct fw_window* w = &window_table[e->id][window];
    uint32_t window_length = load32(&w->length);
    if (window_length == 0 || load16(&w->generation) != load16(&r->window_generation) ||
        !(load16(&w->flags) & FW_WINDOW_WRITABLE))
        return FW_SLOT_BAD_WINDOW;
    /* length - 1 so that 0 fails too; count bounds length and the reverse */
    if (offset >= window_length || length - 1 >= window_length - offset ||
        (length - 1) / WIRE_BLOCK_SIZE + 1 != count || first + count > FW_WINDOW_MAX / WIRE_BLOCK_SIZE)
        return FW_SLOT_BAD_RANGE;
    uint32_t now = register_load32(RTC);
    *p = (struct pull){
        .open = 1,
        .generation = generation,
        .endpoint = e,
        .index = index,
        .peer = peer,
        .peer_card = load32(&peer_table[peer].card),
        .dst_endpoint = dst_endpoint,
        .dst_session = load32(&slot->dst_session),
        .grant_and_generation = load32(&r->grant),
        .window = window,
        .window_offset = offset,
        .first_block = first,
        .next_block = first,
        .end_block = first + count,
        .length = length,
        .order = pulls_begun++,
        .last_news = now,
        .deadline = (deadline_ms < DEADLINE_MAX_MS ? deadline_ms : DEADLINE_MAX_MS) * 2000,
    };
    pulls_open++;
    e->pulls++;
    pull_work = 1;
    COUNT(pulls);
    tick_want(TICK_PULLS);
    return 0;
}

static void ask(struct block* b) {
    struct pull* p = b->pull;
    uint32_t* header = transmit_header();
    header[0] = WIRE_TYPE << 16 | WIRE_VERSION << 8 | WIRE_PULL;
    header[1] = p->dst_endpoint << 24 | p->endpoint->id << 16 | sizeof(struct wire_pull);
    header[2] = p->dst_session;
    header[3] = my_card;
    header[4] = p->endpoint->session;
    header[5] = p->grant_and_generation;
    header[6] = p->index << 16 | p->generation;
    header[7] = b->number << 16 | FRAME_SHIFT << 8 | b->missing;
    transmit_begin(p->peer, header, (sizeof(struct wire_header) + sizeof(struct wire_pull)) | LANAI_SEND_LAST);
    transmit_end((struct release){NO_ENDPOINT, STAGING_NONE});
    b->asked = 1;
    b->last_news = register_load32(RTC);
}

static void open_block(struct pull* p, struct block* b) {
    uint32_t before = (p->next_block - p->first_block) * WIRE_BLOCK_SIZE;
    uint32_t length = p->length - before;
    if (length > WIRE_BLOCK_SIZE)
        length = WIRE_BLOCK_SIZE;
    b->pull = p;
    b->number = p->next_block++;
    b->length = length;
    b->missing = (1u << ((length + FRAME_SIZE - 1) >> FRAME_SHIFT)) - 1;
    b->asked = 0;
    b->crc = 0;
    b->tries = 0;
    pieces_fetch(&b->pieces, &window_table[p->endpoint->id][p->window], p->window_offset + before, length);
    p->open_blocks++;
    blocks_open++;
    p->last_news = register_load32(RTC); /* the deadline does not run while a pull waits for its turn */
}

/* The oldest pull that has a block to open, or NULL. */
static struct pull* oldest(void) {
    struct pull* found = 0;
    for (struct endpoint** e = open_endpoints; *e; e++) {
        if ((*e)->pulls == 0)
            continue;
        for (struct pull* p = pulls[(*e)->id]; p < pulls[(*e)->id] + FW_PULLS; p++)
            if (p->open && p->next_block != p->end_block && p->open_blocks < PULL_BLOCKS_OPEN &&
                (!found || (int32_t)(p->order - found->order) < 0))
                found = p;
    }
    return found;
}

void pull_step(void) {
    struct block* free = 0;
    uint32_t under_way = 0;
    uint32_t left = 0; /* work that found no room */
    for (struct block* b = blocks; b < blocks + BLOCK_CONTEXTS; b++) {
        if (!b->pull)
            free = b;
        else if (b->tries < 2)
            under_way++;
    }
    if (free && under_way < BLOCKS_UNDER_WAY) {
        struct pull* p = oldest();
        if (p) {
            left = 1; /* look again: there may be more */
            if (dma_room(DMA_LISTS))
                open_block(p, free);
        }
    }
    for (struct block* b = blocks; b < blocks + BLOCK_CONTEXTS; b++) {
        if (!b->pull || b->asked)
            continue;
        if (port_has_room())
            ask(b);
        else
            left = 1;
    }
    pull_work = left;
}

static void close_block(struct block* b) {
    b->pull->open_blocks--;
    b->pull = 0;
    blocks_open--;
    pull_work = 1; /* a context is free */
}

static void close_pull(struct pull* p) {
    if (p->open_blocks)
        for (struct block* b = blocks; b < blocks + BLOCK_CONTEXTS; b++)
            if (b->pull == p)
                close_block(b);
    p->open = 0;
    p->endpoint->pulls--;
    pulls_open--;
}

int pull_frame(struct endpoint* e, uint32_t* packet, uint32_t body) {
    if (body <= sizeof(struct wire_frame)) {
        COUNT(frames_bad);
        return 1;
    }
    uint32_t handle = load32(&packet[4]);
    uint32_t place = load32(&packet[5]);
    uint32_t number = place >> 16;
    uint32_t frame = place >> 8 & 0xff;
    uint32_t index = handle >> 16;
    struct pull* p = &pulls[e->id][index & (FW_PULLS - 1)];
    if (index >= FW_PULLS || !p->open || p->generation != (handle & 0xffff)) {
        COUNT(frames_unwanted);
        return 1;
    }
    if (load32(&packet[3]) != p->peer_card || (load32(&packet[1]) >> 16 & 0xff) != p->dst_endpoint) {
        COUNT(frames_bad);
        return 1;
    }
    struct block* b = blocks;
    while (b->pull != p || b->number != number)
        if (++b == blocks + BLOCK_CONTEXTS) {
            if (number >= p->first_block && number < p->next_block)
                COUNT(frames_present); /* of a block that is whole */
            else
                COUNT(frames_bad);
            return 1;
        }
    uint32_t offset = frame << FRAME_SHIFT;
    uint32_t length = body - sizeof(struct wire_frame);
    uint32_t expected = offset >= b->length ? 0 : b->length - offset;
    if (expected > FRAME_SIZE)
        expected = FRAME_SIZE;
    if (length != expected || frame >= 32) {
        COUNT(frames_bad);
        return 1;
    }
    if (!(b->missing & 1u << frame)) {
        COUNT(frames_present);
        return 1;
    }
    if (!pieces_here(&b->pieces) || dma_room(DMA_WRITE) <= PIECES_DESCRIPTORS)
        return 0;
    if (b->missing == 1u << frame && !event_room(e)) {
        COUNT(refused_full); /* asked for again later */
        return 1;
    }
    uint32_t crc = load32(&packet[6]);
    receive.transfers[receive.buffer] +=
        pieces_transfer(&b->pieces, offset, length, (uint32_t)(uintptr_t)&packet[7], 0, receive.buffer);
    COUNT(frames_received);
    b->missing &= ~(1u << frame);
    b->last_news = p->last_news = register_load32(RTC);
    b->tries = 0;
    if (place & WIRE_FRAME_CRC)
        b->crc = crc;
    if (b->missing == 0) {
        close_block(b);
        COUNT(blocks);
        if (p->open_blocks == 0 && p->next_block == p->end_block)
            close_pull(p);
        event_brief_now(e, FW_EVENT_BLOCK, handle, number, b->crc);
    }
    return 1;
}

/* Nobody wants to hear of its failure any more. */
static void forget(struct pull* p) {
    pulls_unreported -= p->unreported;
    p->unreported = 0;
}

void pull_retire(struct endpoint* e, uint32_t index, uint32_t generation) {
    struct pull* p = &pulls[e->id][index];
    if (p->generation != generation)
        return;
    forget(p);
    if (p->open)
        close_pull(p);
}

void pull_end(uint32_t endpoint, uint32_t window) {
    for (struct pull* p = pulls[endpoint]; p < pulls[endpoint] + FW_PULLS; p++) {
        if (window < FW_WINDOWS && p->window != window)
            continue;
        if (window >= FW_WINDOWS)
            forget(p);
        if (p->open)
            close_pull(p);
    }
}

static uint32_t retry_after(const struct block* b) {
    uint32_t after = RETRY_FIRST + RETRY_PER_BLOCK * blocks_open;
    for (uint32_t i = 0; i < b->tries && after < RETRY_MAX; i++)
        after *= 2;
    return after;
}

static void report_failures(void) {
    for (struct endpoint** e = open_endpoints; *e; e++)
        for (struct pull* p = pulls[(*e)->id]; p < pulls[(*e)->id] + FW_PULLS; p++)
            if (p->unreported &&
                event_brief(*e, FW_EVENT_PULL_FAILED, p->index << 16 | p->generation, FW_PULL_TIMEOUT, 0))
                forget(p);
}

int pull_tick(void) {
    if (pulls_unreported)
        report_failures();
    if (pulls_open == 0)
        return pulls_unreported != 0;
    uint32_t now = register_load32(RTC);
    for (struct block* b = blocks; b < blocks + BLOCK_CONTEXTS; b++) {
        if (!b->pull)
            continue;
        struct pull* p = b->pull;
        if (now - p->last_news > p->deadline) {
            if (event_brief(p->endpoint, FW_EVENT_PULL_FAILED, p->index << 16 | p->generation,
                            FW_PULL_TIMEOUT, 0))
                close_pull(p);
        } else if (b->asked && now - b->last_news > retry_after(b) && port_has_room()) {
            COUNT(pull_retries);
            ask(b);
            b->tries++;
            pull_work = 1; /* it may not count any more */
        }
    }
    return 1;
}
