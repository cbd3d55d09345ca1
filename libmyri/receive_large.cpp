// SPDX-License-Identifier: BSD-3-Clause
// The receiver's side of large messages: windows, what becomes of pulls, the end.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <new>

#include "libmyri/incoming.h"
#include "libmyri/pulls.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

void close_window(Endpoint& ep, IncomingWindow& w) {
    if (w.registration)
        ep.registrations.release(w.registration);
    free(w.own);
    w = IncomingWindow{};
}

// Takes the message apart: its receive is reported by the caller.
void drop(Endpoint& ep, LargeReceive* l) {
    for (IncomingWindow& w : l->windows)
        if (w.open)
            close_window(ep, w);
    if (l->cut_registration)
        ep.registrations.release(l->cut_registration);
    free(l->cut_block);
    partner_owes(ep, *l->from, -1);
    ep.large.incoming.remove(l);
    Arrival* a = l->arrival;
    a->large = nullptr;
    a->receive = nullptr;
    l->~LargeReceive();
    free(l);
    arrival_free(ep, a);
}

void notify(Endpoint& ep, Partner& p, uint16_t number, msg_notify_status status, uint32_t taken) {
    msg_notify n{};
    n.rendezvous = cpu_to_be16(number);
    n.status = cpu_to_be16(static_cast<uint16_t>(status));
    n.taken = cpu_to_be32(taken);
    stream_submit_control(ep, p, MSG_NOTIFY, &n, sizeof n);
}

void finish(Endpoint& ep, LargeReceive* l) {
    Partner& p = *l->from;
    Receive* r = l->receive;
    const uint64_t match = l->arrival->match;
    const uint32_t length = l->length;
    notify(ep, p, l->number, l->take < length ? MSG_NOTIFY_TRUNCATED : MSG_NOTIFY_DONE, l->take);
    drop(ep, l);
    incoming_finish(ep, r, p, match, length);
}

void finish_failed(Endpoint& ep, LargeReceive* l) {
    Receive* r = l->receive;
    const mx_status_code_t code = l->code;
    r->status.source = ep.address_of(l->from);
    r->status.match_info = l->arrival->match;
    r->status.msg_length = l->length;
    drop(ep, l);
    r->arrival = nullptr;
    r->network = false;
    ep.complete(r, code, 0);
    ep.release(r);
}

void ask_for_grant(Endpoint& ep, LargeReceive* l, uint32_t offset) {
    msg_window w{};
    w.rendezvous = cpu_to_be16(l->number);
    w.offset = cpu_to_be32(offset);
    stream_submit_control(ep, *l->from, MSG_GRANT_WANTED, &w, sizeof w);
}

// False: what the sender says about the window cannot be.
bool open_window(LargeReceive* l, const msg_rendezvous& m) {
    const uint32_t offset = be32_to_cpu(m.offset), granted = be32_to_cpu(m.granted);
    if (offset % l->window_bytes || offset >= l->length ||
        granted != smaller(l->length - offset, l->window_bytes))
        return false;
    if (bit(l->windows_over, offset / l->window_bytes))
        return false;
    IncomingWindow* w = nullptr;
    for (IncomingWindow& candidate : l->windows) {
        if (candidate.open && candidate.offset == offset)
            return false;
        if (!candidate.open)
            w = &candidate;
    }
    if (!w)
        return false;
    if (offset >= l->take)
        return true; // beyond the user's buffer: never pulled
    w->open = true;
    w->grant = be16_to_cpu(m.grant);
    w->grant_generation = be16_to_cpu(m.grant_generation);
    w->offset = offset;
    w->granted = granted;
    w->wanted = smaller(l->take - offset, granted);
    w->missing_count = blocks_of(w->wanted);
    for (uint32_t b = 0; b < w->missing_count; ++b)
        set_bit(w->missing, b);
    return true;
}

void window_done(Endpoint& ep, LargeReceive* l, IncomingWindow& w) {
    // Each window once, and none is done while a pull holds one of its blocks: at the end no pull is open.
    l->done += w.wanted;
    set_bit(l->windows_over, w.offset / l->window_bytes);
    if (l->done >= l->take) {
        finish(ep, l);
        return;
    }
    msg_window m{};
    m.rendezvous = cpu_to_be16(l->number);
    m.grant = cpu_to_be16(w.grant);
    m.grant_generation = cpu_to_be16(w.grant_generation);
    m.offset = cpu_to_be32(w.offset);
    close_window(ep, w);
    stream_submit_control(ep, *l->from, MSG_WINDOW_DONE, &m, sizeof m);
}

// The window's grant is dead. What is here of it was checked under that grant only, so it begins anew.
void begin_anew(Endpoint& ep, LargeReceive* l, IncomingWindow& w) {
    const uint32_t offset = w.offset;
    close_window(ep, w);
    ask_for_grant(ep, l, offset);
}

// The memory cannot be used: both sides end.
void give_up(Endpoint& ep, LargeReceive* l, mx_status_code_t code) {
    notify(ep, *l->from, l->number, MSG_NOTIFY_DAMAGED, 0);
    large_abandon_receive(ep, l, code);
}

} // namespace

bool large_pull_more(Endpoint& ep) {
    bool any = false;
    const uint64_t now = seam.now();
    for (LargeReceive* l = ep.large.incoming.front(); l;) {
        LargeReceive* next = l->link.next;
        if (!l->failed && l->retry_at <= now) {
            l->retry_at = 0;
            int status = 0;
            for (unsigned w = 0; w < windows_open && status == 0; ++w)
                if (l->windows[w].open)
                    status = pull_window(ep, l, w, any);
            if (status == -EBUSY) {
                ep.large.work =
                    free_pull(ep) >= 0; // no slot: look again; no handle: one that ends brings the work back
                return any;
            }
            if (status == -ENOSPC) {
                l->retry_at = now + resend_floor;
                ep.arm(l->retry_at);
            } else if (status < 0) {
                give_up(ep, l, status == -ENOMEM ? MX_STATUS_NO_RESOURCES : MX_STATUS_ABORTED);
            }
        }
        l = next;
    }
    return any;
}

uint64_t large_timer(const Endpoint& ep) {
    uint64_t due = never;
    for (const LargeReceive* l = ep.large.incoming.front(); l; l = l->link.next)
        if (l->retry_at && l->retry_at < due)
            due = l->retry_at;
    return due;
}

void large_begin(Endpoint& ep, Arrival* a) {
    Partner& p = *a->from;
    Receive* r = a->receive;
    msg_rendezvous m;
    memcpy(&m, a->few, sizeof m);
    const uint32_t window_blocks = be16_to_cpu(m.window_blocks);
    const bool possible = window_blocks >= 1 && window_blocks <= FW_WINDOW_MAX / WIRE_BLOCK_SIZE;
    const uint32_t window_bytes = (possible ? window_blocks : 1) * WIRE_BLOCK_SIZE;
    const size_t words = a->length / window_bytes / 64 + 1;
    void* room = calloc(1, sizeof(LargeReceive) + words * sizeof(uint64_t));
    if (!room) {
        a->receive = nullptr;
        r->network = false;
        ep.complete(r, MX_STATUS_NO_RESOURCES, 0);
        ep.release(r);
        return;
    }
    LargeReceive* l = new (room) LargeReceive;
    l->windows_over = reinterpret_cast<uint64_t*>(l + 1);
    l->window_bytes = window_bytes;
    l->arrival = a;
    l->receive = r;
    l->from = &p;
    l->number = be16_to_cpu(m.rendezvous);
    l->length = a->length;
    l->take = smaller(a->length, r->segments.length());
    l->unchecked = a->unchecked;
    a->large = l;
    ep.large.incoming.push_back(l);
    partner_owes(ep, p, 1);
    if (l->take == 0) {
        finish(ep, l);
        return;
    }
    if (possible && m.granted.raw == 0)
        ask_for_grant(ep, l, 0);
    else if (!possible || !open_window(l, m))
        give_up(ep, l, MX_STATUS_ABORTED);
    ep.large.work = true;
}

void large_refuse(Endpoint& ep, Arrival* a) {
    msg_rendezvous m;
    memcpy(&m, a->few, sizeof m);
    notify(ep, *a->from, be16_to_cpu(m.rendezvous), a->length ? MSG_NOTIFY_TRUNCATED : MSG_NOTIFY_DONE, 0);
}

void large_window_next(Endpoint& ep, Partner& p, const msg_rendezvous& m) {
    for (LargeReceive* l = ep.large.incoming.front(); l; l = l->link.next)
        if (l->from == &p && l->number == be16_to_cpu(m.rendezvous) && !l->failed) {
            if (m.granted.raw == 0)
                large_abandon_receive(ep, l, MX_STATUS_ABORTED); // the sender knows nothing of it
            else if (!open_window(l, m))
                ++ep.counters.malformed;
            ep.large.work = true;
            return;
        }
}

void large_block(Endpoint& ep, uint32_t pull_generation, uint32_t block, uint32_t crc) {
    Pull* p = live_pull(ep, pull_generation);
    if (!p || p->retiring || block < p->first || block >= p->first + p->count)
        return;
    LargeReceive* l = p->owner;
    IncomingWindow& w = l->windows[p->window];
    if (!bit(w.requested, block))
        return;
    Partner& from = *l->from;
    from.heard_at(seam.now());
    from.probe_backoff = 0;
    w.refusals = 0;
    if (pull_take_block(l, w, *p, block, crc)) {
        ++ep.counters.blocks;
        ep.counters.copied_blocks += p->copy != nullptr;
        clear_bit(w.missing, block);
        clear_bit(w.requested, block);
        --w.missing_count;
        l->failures = 0; // it goes on
    } else {
        // It stays requested until this pull ends: then nothing else can have asked for it meanwhile.
        ++ep.counters.bad_blocks;
        ++l->failures;
    }
    if (--p->remaining == 0)
        end_pull(ep, *p);
    if (l->failures >= failures_allowed) {
        stream_bare(ep, from, MSG_CLOSE); // or the other side would wait for the notify
        partner_fail(ep, from, MX_STATUS_ABORTED);
    } else if (w.missing_count == 0) {
        window_done(ep, l, w);
    }
}

// The pull that the card has given up; nullptr if it was not wanted any more.
static Pull* ended_pull(Endpoint& ep, uint32_t pull_generation) {
    Pull* p = live_pull(ep, pull_generation);
    if (!p || !p->retiring)
        return p;
    large_pull_retired(ep, static_cast<unsigned>(p - ep.large.pulls));
    return nullptr;
}

void large_pull_failed(Endpoint& ep, uint32_t pull_generation) {
    Pull* p = ended_pull(ep, pull_generation);
    if (!p)
        return;
    // A time limit: fetched again, after those that may have more luck; probes find out whether the partner lives.
    LargeReceive* l = p->owner;
    end_pull(ep, *p);
    ep.large.incoming.remove(l);
    ep.large.incoming.push_back(l);
}

void large_pull_impossible(Endpoint& ep, uint32_t pull_generation) {
    Pull* p = ended_pull(ep, pull_generation);
    if (!p)
        return;
    // It would refuse the same request again.
    LargeReceive* l = p->owner;
    end_pull(ep, *p);
    if (!l->failed)
        give_up(ep, l, MX_STATUS_ABORTED);
}

void large_pull_refused(Endpoint& ep, uint32_t pull_generation) {
    Pull* p = live_pull(ep, pull_generation);
    if (!p || p->retiring)
        return;
    IncomingWindow& w = p->owner->windows[p->window];
    if (++w.refusals < refusals_believed)
        return;
    w.dead = true;
    retire_pulls(ep, p->owner, p->window);
}

void large_pull_retired(Endpoint& ep, unsigned index) {
    Pull& p = ep.large.pulls[index];
    if (!p.owner || !p.retiring)
        return;
    LargeReceive* l = p.owner;
    const unsigned window = p.window;
    end_pull(ep, p);
    if (l->failed && l->pulls == 0)
        finish_failed(ep, l);
    else if (!l->failed && l->windows[window].dead && !pulled(ep, l, window))
        begin_anew(ep, l, l->windows[window]);
}

void large_abandon_receive(Endpoint& ep, LargeReceive* l, mx_status_code_t code) {
    if (l->failed)
        return;
    l->failed = true;
    l->code = code;
    retire_pulls(ep, l, all_windows);
    if (l->pulls == 0)
        finish_failed(ep, l);
}

} // namespace myri
