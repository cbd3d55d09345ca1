// SPDX-License-Identifier: BSD-3-Clause
// The receiver's side of large messages: pulls, the check of each block, windows, the end.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <new>

#include "libmyri/checksum.h"
#include "libmyri/incoming.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

bool bit(const uint64_t* bits, uint32_t n) {
    return bits[n / 64] >> (n % 64) & 1;
}
void set_bit(uint64_t* bits, uint32_t n) {
    bits[n / 64] |= UINT64_C(1) << (n % 64);
}
void clear_bit(uint64_t* bits, uint32_t n) {
    bits[n / 64] &= ~(UINT64_C(1) << (n % 64));
}

uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

uint32_t block_bytes(const IncomingWindow& w, uint32_t block) {
    return smaller(w.granted - block * WIRE_BLOCK_SIZE, WIRE_BLOCK_SIZE);
}

uint32_t blocks_of(uint32_t bytes) {
    return (bytes + WIRE_BLOCK_SIZE - 1) / WIRE_BLOCK_SIZE;
}

void close_window(Endpoint& ep, IncomingWindow& w) {
    if (w.registration)
        ep.registrations.release(w.registration);
    free(w.bounce);
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
    if (offset % FW_WINDOW_MAX || offset >= l->length ||
        granted != smaller(l->length - offset, FW_WINDOW_MAX))
        return false;
    if (bit(l->windows_over, offset / FW_WINDOW_MAX))
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
    const uint32_t wanted = smaller(l->take - offset, granted);
    w->open = true;
    w->grant = be16_to_cpu(m.grant);
    w->grant_generation = be16_to_cpu(m.grant_generation);
    w->offset = offset;
    w->granted = granted;
    w->direct = wanted == granted ? granted : wanted / WIRE_BLOCK_SIZE * WIRE_BLOCK_SIZE;
    w->cut = wanted - w->direct;
    w->missing_count = blocks_of(wanted);
    for (uint32_t b = 0; b < w->missing_count; ++b)
        set_bit(w->missing, b);
    return true;
}

void window_done(Endpoint& ep, LargeReceive* l, IncomingWindow& w) {
    // Each window once, and none is done while a pull holds one of its blocks: at the end no pull is open.
    l->done += w.direct + w.cut;
    set_bit(l->windows_over, w.offset / FW_WINDOW_MAX);
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

Registration* register_own(Endpoint& ep, uint8_t*& memory, uint32_t bytes, int& error) {
    if (!memory)
        memory = static_cast<uint8_t*>(aligned_alloc(4096, (bytes + 4095u) & ~size_t{4095}));
    if (!memory) {
        error = -ENOMEM;
        return nullptr;
    }
    return ep.registrations.acquire_own(memory, bytes, true, error);
}

// Makes the target of a pull known to the card. 0 or a negative errno.
int prepare_target(Endpoint& ep, LargeReceive* l, IncomingWindow& w, bool cut) {
    int error = 0;
    if (cut) {
        if (!l->cut_registration)
            l->cut_registration = register_own(ep, l->cut_block, WIRE_BLOCK_SIZE, error);
        return error;
    }
    if (w.registration)
        return 0;
    if (!w.bounce)
        w.registration =
            ep.registrations.acquire(l->receive->segments, w.offset, w.direct, true, w.at, error);
    if (!w.registration && (w.bounce || error == -E2BIG))
        w.registration = register_own(ep, w.bounce, w.direct, error); // from its beginning: w.at is 0
    return w.registration ? 0 : error;
}

bool post_pull(Endpoint& ep, LargeReceive* l, unsigned window, unsigned handle, uint32_t first,
               uint32_t count, bool cut) {
    IncomingWindow& w = l->windows[window];
    Pull& p = ep.large.pulls[handle];
    p.owner = l;
    p.window = window;
    p.retiring = p.ask_again = false;
    p.cut = cut;
    p.first = first;
    p.count = p.remaining = count;
    if (++p.generation == 0)
        p.generation = 1;
    ++l->pulls;
    for (uint32_t b = first; b < first + count; ++b)
        set_bit(w.requested, b);
    const Registration* target = cut ? l->cut_registration : w.registration;
    fw_pull_request r{};
    r.pull = cpu_to_be16(static_cast<uint16_t>(handle));
    r.pull_generation = cpu_to_be16(p.generation);
    r.grant = cpu_to_be16(w.grant);
    r.grant_generation = cpu_to_be16(w.grant_generation);
    r.window = cpu_to_be16(static_cast<uint16_t>(target->window));
    r.window_generation = cpu_to_be16(static_cast<uint16_t>(target->generation));
    r.window_offset = cpu_to_be32(cut ? 0 : w.at + first * WIRE_BLOCK_SIZE);
    r.first_block = cpu_to_be16(static_cast<uint16_t>(first));
    r.block_count = cpu_to_be16(static_cast<uint16_t>(count));
    r.length = cpu_to_be32(smaller(w.granted - first * WIRE_BLOCK_SIZE, count * WIRE_BLOCK_SIZE));
    r.deadline_ms = cpu_to_be32(pull_deadline_ms);
    ep.large.slots[ep.slots.posted() % FW_SLOTS] = {static_cast<uint16_t>(ep.slots.posted()), FW_SLOT_PULL, 0,
                                                    static_cast<uint16_t>(handle), p.generation};
    memcpy(ep.slots.body(sizeof r), &r, sizeof r);
    ep.slots.post(SlotAddress{l->from->peer, l->from->id, FW_SLOT_PULL, l->from->session}, sizeof r, 0);
    return true;
}

int free_pull(const Endpoint& ep) {
    for (unsigned i = 0; i < FW_PULLS; ++i)
        if (!ep.large.pulls[i].owner)
            return static_cast<int>(i);
    return -1;
}

// Posts pulls for what a window misses. 0, or why it cannot go on: -EBUSY no handle or slot, else of the
// memory.
int pull_window(Endpoint& ep, LargeReceive* l, unsigned window, bool& any) {
    IncomingWindow& w = l->windows[window];
    const uint32_t direct_blocks = blocks_of(w.direct), all = direct_blocks + (w.cut != 0);
    for (uint32_t b = 0; b < all; ++b) {
        if (!bit(w.missing, b) || bit(w.requested, b))
            continue;
        const bool cut = b == direct_blocks;
        uint32_t end = b + 1;
        while (!cut && end < direct_blocks && bit(w.missing, end) && !bit(w.requested, end))
            ++end;
        const int handle = free_pull(ep);
        if (handle < 0 || ep.slots.free_slots() == 0)
            return -EBUSY;
        const int status = prepare_target(ep, l, w, cut);
        if (status < 0)
            return status;
        any |= post_pull(ep, l, window, static_cast<unsigned>(handle), b, end - b, cut);
        b = end - 1;
    }
    return 0;
}

Pull* live_pull(Endpoint& ep, uint32_t pull_generation) {
    const unsigned index = pull_generation >> 16;
    if (index >= FW_PULLS)
        return nullptr;
    Pull& p = ep.large.pulls[index];
    return p.owner && p.generation == (pull_generation & 0xffff) ? &p : nullptr;
}

// The handle is free; blocks that it has not brought are to be fetched again.
void end_pull(Endpoint& ep, Pull& p) {
    LargeReceive* l = p.owner;
    IncomingWindow& w = l->windows[p.window];
    for (uint32_t b = p.first; b < p.first + p.count; ++b)
        clear_bit(w.requested, b);
    p.owner = nullptr;
    --l->pulls;
    ep.large.work = true;
}

bool block_is_good(const LargeReceive* l, const IncomingWindow& w, const Pull& p, uint32_t block,
                   uint32_t crc) {
    if (l->unchecked)
        return true;
    const uint32_t before = block * WIRE_BLOCK_SIZE, bytes = block_bytes(w, block);
    if (p.cut)
        return checksum_data(0, l->cut_block, bytes) == crc;
    if (w.bounce)
        return checksum_data(0, w.bounce + before, bytes) == crc;
    return l->receive->segments.crc(0, w.offset + before, bytes) == crc;
}

void retire_pulls(Endpoint& ep, LargeReceive* l) {
    for (unsigned i = 0; i < FW_PULLS; ++i)
        if (ep.large.pulls[i].owner == l && !ep.large.pulls[i].retiring) {
            ep.large.pulls[i].retiring = true;
            large_retire(ep, FW_RETIRE_PULL, i);
        }
}

bool pulled(const Endpoint& ep, const LargeReceive* l, unsigned window) {
    for (const Pull& p : ep.large.pulls)
        if (p.owner == l && p.window == window)
            return true;
    return false;
}

// The window's grant is dead. What is here of it was checked under that grant only, so it begins anew.
void begin_anew(Endpoint& ep, LargeReceive* l, IncomingWindow& w) {
    const uint32_t offset = w.offset;
    close_window(ep, w);
    ask_for_grant(ep, l, offset);
}

// The memory cannot be used: both sides end.
void give_up(Endpoint& ep, LargeReceive* l) {
    notify(ep, *l->from, l->number, MSG_NOTIFY_DAMAGED, 0);
    large_abandon_receive(ep, l, MX_STATUS_ABORTED);
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
            if (status == -ENOSPC || status == -ENOMEM) {
                l->retry_at = now + resend_floor;
                ep.arm(l->retry_at);
            } else if (status < 0) {
                give_up(ep, l);
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
    void* room = malloc(sizeof(LargeReceive));
    if (!room) {
        a->receive = nullptr;
        r->network = false;
        ep.complete(r, MX_STATUS_NO_RESOURCES, 0);
        ep.release(r);
        return;
    }
    LargeReceive* l = new (room) LargeReceive;
    msg_rendezvous m;
    memcpy(&m, a->few, sizeof m);
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
    if (m.granted.raw == 0)
        ask_for_grant(ep, l, 0);
    else if (!open_window(l, m))
        give_up(ep, l);
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
    l->refusals = 0;
    if (block_is_good(l, w, *p, block, crc)) {
        const uint32_t before = block * WIRE_BLOCK_SIZE;
        if (p->cut)
            l->receive->segments.scatter(w.offset + before, l->cut_block, w.cut);
        else if (w.bounce)
            l->receive->segments.scatter(w.offset + before, w.bounce + before, block_bytes(w, block));
        ++ep.counters.blocks;
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

void large_pull_failed(Endpoint& ep, uint32_t pull_generation) {
    Pull* p = live_pull(ep, pull_generation);
    if (!p)
        return;
    if (p->retiring)
        large_pull_retired(ep, static_cast<unsigned>(p - ep.large.pulls));
    else
        end_pull(ep, *p); // a time limit: fetched again; probes find out whether the partner lives
}

void large_slot_refused(Endpoint& ep, uint16_t count) {
    const LargeSlot slot = ep.large.slots[count % FW_SLOTS];
    if (slot.type == 0 || slot.count != count)
        return;
    ep.large.slots[count % FW_SLOTS].type = 0;
    const uint32_t name = static_cast<uint32_t>(slot.index) << 16 | slot.generation;
    if (slot.type == FW_SLOT_RETIRE) {
        large_retired(ep, name, slot.what); // the card knows nothing to retire
        return;
    }
    Pull* p = live_pull(ep, name);
    if (!p)
        return;
    if (p->retiring) {
        large_pull_retired(ep, slot.index);
        return;
    }
    // It would refuse the same request again.
    LargeReceive* l = p->owner;
    end_pull(ep, *p);
    if (!l->failed)
        give_up(ep, l);
}

void large_pull_refused(Endpoint& ep, uint32_t pull_generation) {
    Pull* p = live_pull(ep, pull_generation);
    if (!p || p->retiring || ++p->owner->refusals < refusals_believed)
        return;
    p->owner->refusals = 0;
    p->retiring = p->ask_again = true;
    large_retire(ep, FW_RETIRE_PULL, static_cast<unsigned>(p - ep.large.pulls));
}

void large_pull_retired(Endpoint& ep, unsigned index) {
    Pull& p = ep.large.pulls[index];
    if (!p.owner || !p.retiring)
        return;
    LargeReceive* l = p.owner;
    const bool again = p.ask_again && !l->failed;
    const unsigned window = p.window;
    end_pull(ep, p);
    if (l->failed && l->pulls == 0) {
        finish_failed(ep, l);
    } else if (again && l->windows[window].open && !pulled(ep, l, window)) {
        begin_anew(ep, l, l->windows[window]);
    }
}

void large_abandon_receive(Endpoint& ep, LargeReceive* l, mx_status_code_t code) {
    if (l->failed)
        return;
    l->failed = true;
    l->code = code;
    retire_pulls(ep, l);
    if (l->pulls == 0)
        finish_failed(ep, l);
}

void large_clear(Endpoint& ep) {
    while (LargeReceive* l = ep.large.incoming.pop_front()) {
        for (IncomingWindow& w : l->windows)
            free(w.bounce);
        free(l->cut_block);
        l->~LargeReceive();
        free(l);
    }
    for (Grant& g : ep.large.grants)
        free(g.bounce);
    ep.large = Large{};
}

} // namespace myri
