// SPDX-License-Identifier: BSD-3-Clause
// Progress: events, timers, what waits for slots.
#include "libmyri/endpoint.h"

#include <stdlib.h>

#include "libmyri/connect.h"
#include "libmyri/event_ring.h"
#include "libmyri/incoming.h"
#include "libmyri/library.h"
#include "libmyri/resume.h"
#include "libmyri/self.h"
#include "libmyri/sleep.h"
#include "libmyri/stream.h"
#include "libmyri/verdicts.h"

namespace myri {

// A program that polls gets no interrupt: the card hears of what was taken within a quarter of the least patience with
// unread events (sleep.cpp).
constexpr uint64_t publish_interval = 250 * ps_per_us;

void Endpoint::take_event(const fw_event& event) {
    slots.note_done(event.slots_done);
    const uint32_t a = be32_to_cpu(event.u.brief.a), b = be32_to_cpu(event.u.brief.b);
    switch (event.type) {
    case FW_EVENT_PACKET:
        // What lies before this packet's data has been read. Not the data itself: its length is not yet
        // checked.
        if (be16_to_cpu(event.u.packet.header.length) > WIRE_BODY_INLINE &&
            be32_to_cpu(event.argument) - receive_consumed <= receive_size)
            receive_consumed = be32_to_cpu(event.argument);
        incoming_packet(*this, event);
        break;
    case FW_EVENT_SLOTS:
        break;
    case FW_EVENT_BLOCK:
        large_block(*this, a, b, be32_to_cpu(event.argument));
        break;
    case FW_EVENT_PULL_FAILED:
        large_pull_failed(*this, a);
        break;
    case FW_EVENT_RETIRED:
        large_retired(*this, a, b);
        break;
    case FW_EVENT_GRANT_ASKED:
        large_grant_asked(*this, a, b);
        break;
    case FW_EVENT_BAD_SLOT: // resends and time limits deal with a message
        ++counters.bad_slots;
        large_slot_refused(*this, static_cast<uint16_t>(a));
        break;
    default:
        ++counters.malformed;
    }
}

bool Endpoint::progress() {
    if (progression_disabled || in_handler)
        return false;
    bool any = false;
    for (;;) {
        seam.look();
        const fw_event* event = event_new(*this);
        if (!event)
            break;
        any = true;
        if (verdicts_wanted()) {
            const Counters before = counters;
            take_event(*event);
            verdict_tell(*this, *event, before);
        } else {
            take_event(*event);
        }
        ++event_count;
        publish_consumed(false);
    }
    if (__builtin_expect(card_has_news(), 0))
        any |= resume_or_die(*this);
    if (__builtin_expect(!self_waiting.empty(), 0))
        any |= self_progress(*this);
    const uint64_t now = seam.now();
    if (__builtin_expect(now >= next_timer, 0))
        run_timers(now);
    if (event_count != events_published && now >= publish_at && !seam.is_virtual()) {
        publish_consumed(true);
        publish_at = now + publish_interval;
    }
    if (!waiting.empty())
        any |= stream_push(*this);
    if (large.checksums_due || large.work || large.retires_due || !large.wanting.empty())
        any |= large_step(*this);
    if (any)
        empty_polls = 0;
    return any;
}

void Endpoint::publish_consumed(bool now) {
    const uint32_t events_behind = event_count - events_published;
    const uint32_t bytes_behind = receive_consumed - receive_published;
    if (!(now && (events_behind || bytes_behind)) && events_behind < event_entries / 8 &&
        bytes_behind < receive_size / 8)
        return;
    struct {
        alignas(8) be32 events;
        be32 bytes;
    } counts{cpu_to_be32(event_count), cpu_to_be32(receive_consumed)};
    window.store(offsetof(fw_endpoint_window, events_consumed), &counts, sizeof counts);
    window.flush_without_hurry();
    events_published = event_count;
    receive_published = receive_consumed;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t Endpoint::timer_due() {
    if (progression_disabled || in_handler)
        return never; // progress() would not look at it
    uint64_t due = never;
    for (uint32_t i = 0; i < partner_count; ++i) {
        const Partner& p = *partners[i];
        due = least(due, least(least(p.resend_at, p.ack_at), least(p.probe_at, p.refused_probe_at)));
        due = least(due, p.deadline_at);
    }
    for (const Connect* c = connects.front(); c; c = c->link.next)
        due = least(due, least(c->resend_at, c->deadline));
    due = least(due, least(large_timer(*this), repost_at));
    next_timer = due;
    return due;
}

void Endpoint::run_timers(uint64_t now) {
    next_timer = never;
    for (uint32_t i = 0; i < partner_count; ++i) {
        Partner& p = *partners[i];
        if (now >= p.ack_at) {
            // No slot: for a moment, or the card stands still.
            p.ack_at = stream_bare(*this, p, MSG_ACK) ? never : now + (refusal_spacing << p.ack_tries);
            if (p.ack_at != never && p.ack_tries < 9)
                ++p.ack_tries;
        }
        if (now >= p.deadline_at)
            partner_deadline_due(*this, p, now);
        if (now >= p.resend_at)
            stream_resend_due(*this, p, now);
        if (now >= p.probe_at)
            partner_probe_due(*this, p, now);
        if (now >= p.refused_probe_at) {
            p.refused_probe_at = never;
            if (p.connected && !stream_bare(*this, p, MSG_PROBE))
                p.refused_probe_at = now + refusal_spacing;
        }
    }
    if (now >= repost_at)
        stream_repost(*this, now);
    connect_timers(*this, now);
    if (now >= large_timer(*this))
        large.work = true;
    timer_due();
}

Partner* Endpoint::partner(uint16_t peer, uint8_t endpoint, bool create) {
    if (peer >= FW_PEERS || endpoint >= FW_ENDPOINTS)
        return nullptr;
    if (by_peer[peer] && by_peer[peer][endpoint])
        return by_peer[peer][endpoint];
    if (!create)
        return nullptr;
    if (!by_peer[peer]) {
        by_peer[peer] = static_cast<Partner**>(calloc(FW_ENDPOINTS, sizeof(Partner*)));
        if (!by_peer[peer])
            return nullptr;
    }
    if (partner_count == partner_room) {
        const uint32_t room = partner_room ? partner_room * 2 : 16;
        void* bigger = realloc(partners, room * sizeof(Partner*));
        if (!bigger)
            return nullptr;
        partners = static_cast<Partner**>(bigger);
        partner_room = room;
    }
    void* memory_of = malloc(sizeof(Partner));
    auto* window_of = static_cast<Arrival**>(calloc(stream_window, sizeof(Arrival*)));
    if (!memory_of || !window_of) {
        free(memory_of);
        free(window_of);
        return nullptr;
    }
    Partner* p = new (memory_of) Partner;
    p->arrivals = window_of;
    p->endpoint = this;
    p->index = static_cast<uint16_t>(partner_count);
    p->peer = peer;
    p->id = endpoint;
    p->mac = library.boards[board].peers[peer].mac;
    partners[partner_count++] = p;
    by_peer[peer][endpoint] = p;
    return p;
}

// stuff[0]: session, table slot and generation of the local endpoint, partner's index. stuff[1]: MAC,
// endpoint.
mx_endpoint_addr_t Endpoint::address_of(const Partner* p) const {
    mx_endpoint_addr_t addr;
    addr.stuff[0] = static_cast<uint64_t>(p->session) << 32 | table_slot << 24 |
                    static_cast<uint32_t>(generation) << 16 | p->index;
    addr.stuff[1] = p->mac << 16 | p->id;
    return addr;
}

Send* Endpoint::new_send() {
    Send* s = sends.take();
    if (s) {
        s->kind = RequestKind::send;
        s->endpoint = this;
    }
    return s;
}

Receive* Endpoint::new_receive() {
    Receive* r = receives.take();
    if (r) {
        r->kind = RequestKind::receive;
        r->endpoint = this;
    }
    return r;
}

void Endpoint::complete(Request* r, mx_status_code_t code, uint32_t transferred) {
    r->completed = true;
    if (sleepers && (r->awaited || watchers))
        wake_others(*this);
    r->status.code = code;
    r->status.xfer_length = transferred;
    if (r->kind == RequestKind::connect && r->partner)
        r->status.source = address_of(r->partner);
    if (!r->user)
        return;
    if (r->forgotten)
        r->user = false;
    else
        completed.push_back(r);
}

void Endpoint::release(Request* r) {
    if (r->user || r->network || r->done.linked)
        return;
    r->magic = 0;
    switch (r->kind) {
    case RequestKind::send:
        sends.give(static_cast<Send*>(r));
        break;
    case RequestKind::receive:
        receives.give(static_cast<Receive*>(r));
        break;
    case RequestKind::connect:
        connect_pool.give(static_cast<Connect*>(r));
        break;
    case RequestKind::none:
        break;
    }
}

} // namespace myri
