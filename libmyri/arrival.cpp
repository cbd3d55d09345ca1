// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/arrival.h"

#include <stdlib.h>
#include <string.h>

#include "libmyri/checksum.h"
#include "libmyri/fragments.h"
#include "libmyri/incoming.h"
#include "libmyri/self.h"
#include "libmyri/sleep.h"
#include "libmyri/stream.h"

namespace myri {

Arrival* arrival_new(Endpoint& ep, Partner& p, const msg_header& h) {
    Arrival* a = ep.arrivals.take();
    if (!a)
        return nullptr;
    a->from = &p;
    a->message = h.kind;
    a->sequence = be16_to_cpu(h.sequence);
    a->match = be64_to_cpu(h.match);
    a->length = be32_to_cpu(h.length);
    a->unchecked = checksum_absent(h);
    a->in_stream = true;
    p.arrival(a->sequence) = a;
    return a;
}

static void uncharge(Endpoint& ep, Arrival* a) {
    if (a->charged == 0)
        return;
    ep.unexpected_bytes -= a->charged;
    a->charged = 0;
    incoming_room_made(ep);
}

// The user's data and what the library needs beside it.
static uint32_t weight(uint32_t length) {
    return length + static_cast<uint32_t>(sizeof(Arrival));
}

void arrival_charge(Endpoint& ep, Arrival* a) {
    a->charged = weight(a->length);
    ep.unexpected_bytes += a->charged;
}

bool arrival_has_room(Endpoint& ep, Partner& p, uint32_t length, bool expected, bool in_turn) {
    // Messages ahead of their turn may fill half of the room only, so that the one whose turn it is finds
    // some.
    const uint32_t limit = in_turn ? ep.unexpected_max : ep.unexpected_max / 2;
    if (expected || weight(length) <= limit - (ep.unexpected_bytes < limit ? ep.unexpected_bytes : limit))
        return true;
    ++ep.counters.pushed_back;
    if (in_turn) {
        p.pushed_back = true;
        ep.somebody_pushed_back = true;
    }
    return false;
}

void arrival_free(Endpoint& ep, Arrival* a) {
    if (a->in_stream || a->unexpected || a->receive || a->large || a->local || a->in_handler)
        return;
    uncharge(ep, a);
    if (a->buffer != a->few)
        free(a->buffer);
    ep.arrivals.give(a);
}

bool arrival_destination(Endpoint&, Arrival* a) {
    if (a->receive || a->discard || a->buffer)
        return true;
    a->buffer = static_cast<uint8_t*>(malloc(a->length));
    return a->buffer != nullptr;
}

void arrival_withdraw(Endpoint& ep, Partner& p, Arrival* a) {
    if (a->matched)
        --p.match_next; // it was the last one that had its turn
    if (a->unexpected) {
        ep.matcher.remove(a);
        a->unexpected = false;
    }
    p.arrival(a->sequence) = nullptr;
    a->in_stream = false;
    arrival_free(ep, a);
}

// How many of the bytes at `offset` the receive's buffer can hold.
static uint32_t fitting(const Arrival* a, uint32_t offset, uint32_t bytes) {
    const uint32_t room = a->receive->segments.length();
    return offset >= room ? 0 : room - offset < bytes ? room - offset : bytes;
}

void arrival_store(Arrival* a, uint32_t offset, const void* data, uint32_t bytes) {
    if (a->discard)
        return;
    if (a->receive) {
        a->receive->segments.scatter(offset, data, fitting(a, offset, bytes));
        return;
    }
    seam.spend_bytes(seam.costs().copy_byte, bytes);
    memcpy(a->buffer + offset, data, bytes);
}

uint32_t arrival_store_crc(Arrival* a, uint32_t offset, const void* data, uint32_t bytes, uint32_t crc) {
    if (a->discard)
        return checksum_data(crc, data, bytes);
    if (a->receive) {
        const uint32_t n = fitting(a, offset, bytes);
        crc = a->receive->segments.scatter_crc(crc, offset, data, n);
        return checksum_data(crc, static_cast<const uint8_t*>(data) + n, bytes - n);
    }
    mx_segment_t whole{a->buffer, a->length};
    Segments s;
    s.set(&whole, 1);
    return s.scatter_crc(crc, offset, data, bytes);
}

void incoming_finish(Endpoint& ep, Receive* r, const Partner& from, uint64_t match, uint32_t length) {
    seam.spend(seam.costs().call_receive);
    const uint32_t room = r->segments.length();
    r->arrival = nullptr;
    r->network = false;
    r->status.source = ep.address_of(&from);
    r->status.match_info = match;
    r->status.msg_length = length;
    ep.complete(r, length > room ? MX_STATUS_TRUNCATED : MX_STATUS_SUCCESS, length > room ? room : length);
    ep.release(r);
}

// Ends the connection between a complete message and its receive.
static void hand_over(Endpoint& ep, Arrival* a) {
    Receive* r = a->receive;
    a->receive = nullptr;
    incoming_finish(ep, r, *a->from, a->match, a->length);
}

void arrival_complete(Endpoint& ep, Partner& p, Arrival* a) {
    a->complete = true;
    if (!a->receive)
        return;
    partner_owes(ep, p, -1);
    hand_over(ep, a);
}

void arrival_attach(Endpoint& ep, Arrival* a, Receive* r) {
    if (a->local) {
        self_deliver(ep, a, r);
        return;
    }
    a->receive = r;
    r->arrival = a;
    r->network = true;
    r->partner = a->from;
    if (a->message == MSG_RENDEZVOUS) {
        large_begin(ep, a);
        return;
    }
    uncharge(ep, a);
    if (a->message == MSG_EAGER) {
        arrival_store(a, 0, a->buffer, a->length);
    } else if (a->buffer) {
        for (unsigned f = 0; f < a->fragments; ++f)
            if (a->complete || a->fragments_here & 1u << f) {
                const uint32_t offset = f << a->fragment_shift;
                arrival_store(a, offset, a->buffer + offset, fragment_bytes(a->length, a->fragment_shift, f));
            }
        if (a->buffer != a->few)
            free(a->buffer);
        a->buffer = nullptr;
    }
    if (a->complete) {
        hand_over(ep, a);
        arrival_free(ep, a);
    } else {
        partner_owes(ep, *a->from, 1);
    }
}

bool incoming_handler(Endpoint& ep, Arrival* a, const void* data) {
    if (!ep.unexpected_handler)
        return false;
    const mx_unexp_handler_t handler = ep.unexpected_handler;
    void* context = ep.unexpected_context;
    const mx_endpoint_addr_t source = ep.address_of(a->from);
    const uint64_t match = a->match;
    const uint32_t length = a->length;
    a->in_handler = true;
    ep.in_handler = true;
    ep.handler_thread = pthread_self();
    pthread_mutex_unlock(&ep.lock);
    const mx_unexp_handler_action_t action = handler(context, source, match, length, const_cast<void*>(data));
    pthread_mutex_lock(&ep.lock);
    ep.in_handler = false;
    a->in_handler = false;
    pthread_cond_broadcast(&ep.handler_over);
    return action == MX_RECV_FINISHED;
}

void arrival_queue(Endpoint& ep, Arrival* a) {
    a->unexpected = true;
    ep.matcher.queue(a);
    ++ep.unexpected_news;
    if (ep.watchers)
        wake_others(ep);
}

bool arrival_turn(Endpoint& ep, Arrival* a, const void* data) {
    switch (a->message) {
    case MSG_EAGER:
    case MSG_MEDIUM:
    case MSG_RENDEZVOUS:
        break;
    default: // has been acted upon when it arrived
        return true;
    }
    Receive* r = ep.matcher.take_receive(a->match);
    if (!r) {
        if (a->message == MSG_EAGER)
            data = a->few;
        else if (a->message == MSG_MEDIUM && a->complete && a->length <= MSG_FRAGMENT_MAX)
            data = a->buffer;
        const bool finished = incoming_handler(ep, a, data);
        if (a->abandoned) { // the handler has ended the connection to this partner
            arrival_free(ep, a);
            return false;
        }
        if (finished) {
            a->discard = true;
            uncharge(ep, a);
            if (a->message == MSG_RENDEZVOUS)
                large_refuse(ep, a);
            return true;
        }
        r = ep.matcher.take_receive(a->match);
    }
    if (r) {
        arrival_attach(ep, a, r);
        return true;
    }
    arrival_queue(ep, a);
    return true;
}

bool arrival_waits(const Endpoint& ep, const Arrival* a) {
    return ep.unexpected_handler && a->message == MSG_MEDIUM && a->fragments > 1 && !a->complete &&
           a->length <= MSG_FRAGMENT_MAX && !ep.matcher.would_match(a->match);
}

void arrivals_advance(Endpoint& ep, Partner& p) {
    const uint32_t session = p.session;
    while (Arrival* a = p.arrival(p.match_next)) {
        if (a->matched || arrival_waits(ep, a))
            break;
        a->matched = true;
        ++p.match_next;
        const bool alive = arrival_turn(ep, a, nullptr);
        if (!p.connected || p.session != session)
            return;
        if (!alive)
            continue;
    }
    while (Arrival* a = p.arrival(p.receive_next)) {
        if (!a->complete || !a->matched)
            break;
        p.arrival(p.receive_next) = nullptr;
        a->in_stream = false;
        ++p.receive_next;
        arrival_free(ep, a);
        stream_owe_ack(ep, p);
    }
}

} // namespace myri
