// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/self.h"

#include <stdlib.h>

#include "libmyri/arrival.h"
#include "libmyri/incoming.h"

namespace myri {

static void copy_across(const Segments& from, const Segments& to, uint32_t bytes) {
    mx_segment_t pieces[MX_MAX_SEGMENTS];
    const uint32_t count = from.pieces(0, bytes, pieces, MX_MAX_SEGMENTS);
    uint32_t offset = 0;
    for (uint32_t i = 0; i < count; ++i) {
        to.scatter(offset, pieces[i].segment_ptr, pieces[i].segment_length);
        offset += pieces[i].segment_length;
    }
}

static void sent(Endpoint& ep, Send* s, uint32_t taken) {
    s->network = false;
    s->place = Send::Place::none;
    ep.complete(s, taken < s->length ? MX_STATUS_TRUNCATED : MX_STATUS_SUCCESS, taken);
    ep.release(s);
}

static void deliver(Endpoint& ep, Send* s, Receive* r) {
    const uint32_t room = r->segments.length();
    const uint32_t taken = s->length < room ? s->length : room;
    copy_across(s->segments, r->segments, taken);
    incoming_finish(ep, r, *ep.self, s->match, s->length);
    // As over the network: who sends an eager message is not told that it was cut.
    const bool eager = !(s->flags & MSG_FLAG_SYNC) && s->length <= MSG_MEDIUM_MAX;
    sent(ep, s, eager ? s->length : taken);
}

void self_deliver(Endpoint& ep, Arrival* a, Receive* r) {
    Send* s = a->local;
    a->local = nullptr;
    arrival_free(ep, a);
    deliver(ep, s, r);
}

// Its turn among the messages to the own endpoint has come.
static void turn(Endpoint& ep, Arrival* a) {
    Send* s = a->local;
    Receive* r = ep.matcher.take_receive(s->match);
    if (!r) {
        const bool synchronous = s->flags & MSG_FLAG_SYNC;
        const void* data = nullptr;
        if (!synchronous && s->length <= chunk_bytes)
            data = s->length ? s->segments.contiguous(0, s->length) : a->few;
        if (incoming_handler(ep, a, data)) {
            a->local = nullptr;
            arrival_free(ep, a);
            sent(ep, s, synchronous || s->length > MSG_MEDIUM_MAX ? 0 : s->length);
            return;
        }
        r = ep.matcher.take_receive(s->match);
    }
    if (r) {
        self_deliver(ep, a, r);
        return;
    }
    if (!(s->flags & MSG_FLAG_SYNC) && s->length <= MSG_MEDIUM_MAX && s->length <= ep.unexpected_max &&
        ep.unexpected_bytes <= ep.unexpected_max - s->length) {
        a->buffer = s->length <= sizeof a->few ? a->few : static_cast<uint8_t*>(malloc(s->length));
        if (a->buffer) {
            a->local = nullptr;
            s->segments.gather(0, a->buffer, s->length);
            arrival_charge(ep, a);
            sent(ep, s, s->length);
        }
    }
    arrival_queue(ep, a);
}

bool self_progress(Endpoint& ep) {
    bool any = false;
    while (!ep.in_handler && !ep.self_waiting.empty()) {
        turn(ep, ep.self_waiting.pop_front());
        any = true;
    }
    return any;
}

void self_send(Endpoint& ep, Send* s, bool synchronous) {
    s->network = true;
    s->place = Send::Place::local;
    s->flags = synchronous ? MSG_FLAG_SYNC : 0;
    Arrival* a = ep.arrivals.take();
    if (!a) {
        s->network = false;
        s->place = Send::Place::none;
        ep.complete(s, MX_STATUS_NO_RESOURCES, 0);
        ep.release(s);
        return;
    }
    a->from = ep.self;
    a->message = MSG_EAGER;
    a->match = s->match;
    a->length = s->length;
    a->matched = a->complete = true;
    a->local = s;
    // No handler runs inside another or while progression is disabled: the message waits, and those behind it.
    ep.self_waiting.push_back(a);
    if (!ep.unexpected_handler || !ep.progression_disabled)
        self_progress(ep);
}

} // namespace myri
