// SPDX-License-Identifier: BSD-3-Clause
// The life of a partner: set up for a session, probed while silent, refused, given up.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <initializer_list>

#include "libmyri/checksum.h"
#include "libmyri/incoming.h"
#include "libmyri/library.h"
#include "libmyri/stream.h"

namespace myri {

void partner_establish(Endpoint& ep, Partner& p, uint32_t session, uint16_t first) {
    if (p.session != session && (p.connected || p.session))
        partner_fail(ep, p, MX_STATUS_ENDPOINT_CLOSED);
    if (p.session != session) {
        const uint64_t own = ep.mac << 16 | ep.id, other = p.mac << 16 | p.id;
        p.session = session;
        p.prefix_out = checksum_prefix(own, other, ep.session, session);
        p.prefix_in = checksum_prefix(other, own, session, ep.session);
        p.receive_next = p.match_next = first;
        p.given_up = p.they_gave_up = 0;
        p.smoothed_rtt = 0;
    } else if (sequence_distance(first, p.receive_next) > 0) {
        // The same session, after the other side has given up what it had in flight.
        incoming_skip(ep, p, first);
    }
    p.connected = true;
    p.refusals = 0;
    p.backoff = p.probe_backoff = 0;
    p.heard_at(seam.now());
}

static mx_status_code_t code_for(const Request* r, mx_status_code_t code, uint64_t now) {
    if (code == MX_STATUS_TIMEOUT && now < r->deadline)
        return MX_STATUS_ENDPOINT_UNREACHABLE;
    return code;
}

static void fail_list(Endpoint& ep, Partner& p, List<Send, &Send::link>& list, mx_status_code_t code) {
    const uint64_t now = seam.now();
    while (Send* s = list.pop_front()) {
        const bool has_number = s->place != Send::Place::held;
        s->place = Send::Place::none;
        const mx_status_code_t own = code_for(s, code, now);
        if (s->rendezvous) {
            large_abandon_send(ep, s, own);
            continue;
        }
        if (has_number)
            stream_forget(ep, s);
        s->network = false;
        if (s->completed)
            lose_send(ep, s, own);
        else if (s->user)
            ep.complete(s, own, 0);
        ep.release(s);
    }
    (void)p;
}

void partner_fail(Endpoint& ep, Partner& p, mx_status_code_t code) {
    p.connected = false;
    ++p.given_up;
    p.gone = code == MX_STATUS_TIMEOUT ? MX_STATUS_ENDPOINT_UNREACHABLE : code;
    p.resend_at = p.ack_at = p.probe_at = p.deadline_at = never;
    p.unacknowledged = 0;

    // In the order in which they were posted: unacknowledged, waiting for slots, held back.
    fail_list(ep, p, p.rendezvous, code);
    fail_list(ep, p, p.unacked, code);
    List<Send, &Send::link> own;
    for (Send* s = ep.waiting.front(); s;) {
        Send* next = s->link.next;
        if (s->partner == &p) {
            ep.waiting.remove(s);
            own.push_back(s);
        }
        s = next;
    }
    fail_list(ep, p, own, code);
    fail_list(ep, p, p.held_control, code);
    fail_list(ep, p, p.held, code);
    p.send_base = p.send_next;
    incoming_fail(ep, p, p.gone);
}

void partner_gave_up(Endpoint& ep, Partner& p, uint16_t count, uint16_t ack) {
    if (sequence_distance(count, p.they_gave_up) <= 0)
        return; // known
    p.they_gave_up = count;
    stream_acknowledged(ep, p, ack); // what the partner has taken it has given up, too
    fail_list(ep, p, p.rendezvous, MX_STATUS_ENDPOINT_UNREACHABLE);
    incoming_fail_rendezvous(ep, p, MX_STATUS_ENDPOINT_UNREACHABLE);
}

void lose_send(Endpoint& ep, Send* s, mx_status_code_t code) {
    ++ep.counters.lost_sends;
    const Board& board = library.boards[ep.board];
    LostReport* report = static_cast<LostReport*>(malloc(sizeof(LostReport)));
    if (!report)
        return;
    LostReport** end = &ep.lost;
    while (*end)
        end = &(*end)->next;
    *end = report;
    report->next = nullptr;
    snprintf(report->text, sizeof report->text,
             "send of %u bytes to %s endpoint %u, reported as complete, has failed: %s", s->length,
             s->partner->peer < board.peer_count ? board.peers[s->partner->peer].name : "?", s->partner->id,
             mx_strstatus(code));
}

void partner_owes(Endpoint& ep, Partner& p, int change) {
    p.owes = static_cast<uint32_t>(static_cast<int>(p.owes) + change);
    if (p.owes == 0) {
        p.probe_at = never;
    } else if (p.probe_at == never) {
        p.probe_backoff = 0;
        p.heard_at(seam.now());
        p.probe_at = p.last_heard + p.probe_interval();
        ep.arm(p.probe_at);
    }
}

void partner_deadline(Endpoint& ep, Partner& p, uint64_t when) {
    if (when >= p.deadline_at)
        return;
    p.deadline_at = when;
    ep.arm(when);
}

void partner_deadline_due(Endpoint& ep, Partner& p, uint64_t now) {
    uint64_t next = never;
    const auto look = [&next](const Send* s) {
        if (s->deadline < next)
            next = s->deadline;
    };
    for (const auto* list : {&p.unacked, &p.held_control, &p.held})
        for (const Send* s = list->front(); s; s = s->link.next)
            look(s);
    for (const Send* s = ep.waiting.front(); s; s = s->link.next)
        if (s->partner == &p)
            look(s);
    if (now >= next) {
        partner_fail(ep, p, MX_STATUS_TIMEOUT);
        p.deadline_at = never;
        return;
    }
    // Who has acknowledged a rendezvous may take its time to match it, unless the program has set a limit for this one.
    for (Send* s = p.rendezvous.front(); s;) {
        Send* after = s->link.next;
        if (s->own_limit && now >= s->deadline) {
            p.rendezvous.remove(s);
            s->place = Send::Place::none;
            large_abandon_send(ep, s, MX_STATUS_TIMEOUT);
        } else if (s->own_limit) {
            look(s);
        }
        s = after;
    }
    p.deadline_at = next;
}

void partner_probe_due(Endpoint& ep, Partner& p, uint64_t now) {
    if (!p.connected || p.owes == 0) {
        p.probe_at = never;
        return;
    }
    // Silence alone says nothing: the partner may owe what only its program can give. Probes are answered at
    // once, or by its progress thread; some may be lost, and the last ones are rare.
    const uint64_t patience = ep.patience();
    if (patience != never && p.unanswered_since != never && now - p.unanswered_since > patience) {
        partner_fail(ep, p, MX_STATUS_ENDPOINT_UNREACHABLE);
        return;
    }
    const uint64_t quiet_until = p.last_heard + p.probe_interval();
    if (now >= quiet_until) {
        if (stream_bare(ep, p, MSG_PROBE)) {
            if (p.unanswered_since == never)
                p.unanswered_since = now;
            if (p.probe_backoff < 16)
                ++p.probe_backoff;
        }
        p.probe_at = now + p.probe_interval();
    } else {
        p.probe_at = quiet_until;
    }
    ep.arm(p.probe_at);
}

void partner_refused(Endpoint& ep, Partner& p, unsigned reason) {
    const uint64_t now = seam.now();
    if (reason == WIRE_REFUSED_FULL) {
        // The receiver has to catch up first: one message at a time, soon.
        const uint64_t soon = now + (p.smoothed_rtt > refusal_spacing ? p.smoothed_rtt : refusal_spacing);
        if (!p.unacked.empty() && p.backoff == 0 && soon < p.resend_at) {
            p.resend_at = soon;
            ep.arm(soon);
        }
        return;
    }
    if (reason != WIRE_REFUSED_CLOSED && reason != WIRE_REFUSED_SESSION)
        return;
    // Several packets in flight may be refused at once; only answers to separate attempts count.
    const uint64_t spacing = p.smoothed_rtt > refusal_spacing ? p.smoothed_rtt : refusal_spacing;
    if (p.refusals && reason == p.refusal_reason && now - p.refusal_at < spacing)
        return;
    if (reason != p.refusal_reason)
        p.refusals = 0;
    p.refusal_reason = static_cast<uint8_t>(reason);
    p.refusal_at = now;
    if (++p.refusals >= refusals_believed) {
        partner_fail(ep, p,
                     reason == WIRE_REFUSED_CLOSED ? MX_STATUS_ENDPOINT_CLOSED : MX_STATUS_BAD_SESSION);
        return;
    }
    p.refused_probe_at = now + spacing;
    ep.arm(p.refused_probe_at);
}

} // namespace myri
