// SPDX-License-Identifier: BSD-3-Clause
// Messages that do not go the usual way: taken from the unexpected queue, skipped, or cut off with their
// partner.
#include <stdlib.h>

#include "libmyri/arrival.h"
#include "libmyri/incoming.h"
#include "libmyri/self.h"
#include "libmyri/stream.h"

namespace myri {

void incoming_take(Endpoint& ep, Arrival* a) {
    ep.matcher.remove(a);
    a->unexpected = false;
}

void incoming_receive(Endpoint& ep, Receive* r) {
    r->user = true;
    Arrival* a = ep.matcher.find_arrival(r->match, r->mask);
    if (a) {
        incoming_take(ep, a);
        arrival_attach(ep, a, r);
        return;
    }
    ep.matcher.post(r);
    incoming_room_made(ep);
}

void incoming_room_made(Endpoint& ep) {
    if (!ep.somebody_pushed_back)
        return;
    ep.somebody_pushed_back = false;
    for (uint32_t i = 0; i < ep.partner_count; ++i) {
        Partner& p = *ep.partners[i];
        if (!p.pushed_back)
            continue;
        if (p.connected && !stream_bare(ep, p, MSG_ACK, MSG_FLAG_GAP))
            ep.somebody_pushed_back = true; // no slot: next time
        else
            p.pushed_back = false;
    }
}

// The stream lets go of an arrival that will not be completed.
static void cut_off(Endpoint& ep, Partner& p, Arrival* a, mx_status_code_t code) {
    a->in_stream = false;
    if (a->in_handler)
        a->abandoned = true;
    if (a->complete && a->matched)
        ; // received or queued: nothing is missing
    else if (a->receive && !a->large) {
        Receive* r = a->receive;
        a->receive = nullptr;
        partner_owes(ep, p, -1);
        r->arrival = nullptr;
        r->network = false;
        r->status.source = ep.address_of(&p);
        r->status.match_info = a->match;
        r->status.msg_length = a->length;
        ep.complete(r, code, 0);
        ep.release(r);
    } else if (a->unexpected) {
        incoming_take(ep, a);
    }
    arrival_free(ep, a);
}

void incoming_skip(Endpoint& ep, Partner& p, uint16_t first) {
    for (unsigned i = 0; i < stream_window && sequence_distance(first, p.receive_next) > 0;
         ++i, ++p.receive_next)
        if (Arrival* a = p.arrival(p.receive_next)) {
            p.arrival(p.receive_next) = nullptr;
            cut_off(ep, p, a, MX_STATUS_ENDPOINT_UNREACHABLE);
        }
    p.receive_next = first;
    if (sequence_distance(first, p.match_next) > 0)
        p.match_next = first;
}

void incoming_fail(Endpoint& ep, Partner& p, mx_status_code_t code) {
    for (unsigned i = 0; p.arrivals && i < stream_window; ++i)
        if (Arrival* a = p.arrivals[i]) {
            p.arrivals[i] = nullptr;
            cut_off(ep, p, a, code);
        }
    // What has had its turn must not have it again, should the partner be connected again in this session.
    p.receive_next = p.match_next;
    incoming_fail_rendezvous(ep, p, code);
}

void incoming_fail_rendezvous(Endpoint& ep, Partner& p, mx_status_code_t code) {
    for (Arrival* a = ep.matcher.first_unexpected(); a;) {
        Arrival* next = Matcher::next(a);
        if (a->from == &p && !a->local && a->message == MSG_RENDEZVOUS) {
            incoming_take(ep, a);
            arrival_free(ep, a);
        }
        a = next;
    }
    for (LargeReceive* l = ep.large.incoming.front(); l;) {
        LargeReceive* next = l->link.next;
        if (l->from == &p)
            large_abandon_receive(ep, l, code);
        l = next;
    }
}

} // namespace myri
