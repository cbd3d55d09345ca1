// SPDX-License-Identifier: BSD-3-Clause
// The sender's side of large messages: grants, and block checksums ahead of the card.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <initializer_list>

#include "libmyri/crc32c.h"
#include "libmyri/library.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

constexpr uint32_t grant_place(unsigned index) {
    return static_cast<uint32_t>(offsetof(fw_endpoint_window, grants) + index * sizeof(fw_grant));
}

int free_grant(const Endpoint& ep) {
    for (unsigned i = 0; i < FW_GRANTS; ++i)
        if (!ep.large.grants[i].owner)
            return static_cast<int>(i);
    return -1;
}

// The first 8 bytes, which make a grant valid or void.
void store_generation(Endpoint& ep, unsigned index, bool valid) {
    const Grant& g = ep.large.grants[index];
    alignas(8) fw_grant image{};
    if (valid) {
        image.generation = cpu_to_be16(g.generation);
        image.window = cpu_to_be16(static_cast<uint16_t>(g.registration->window));
        image.window_generation = cpu_to_be16(static_cast<uint16_t>(g.registration->generation));
        image.peer_endpoint = g.owner->partner->id;
    }
    ep.window.store(grant_place(index), &image, 8);
    if (!valid)
        ep.window.order_before_generation(); // the place may be used again: its old grant must not show the new range
}

void store_grant(Endpoint& ep, unsigned index, uint32_t at) {
    const Grant& g = ep.large.grants[index];
    const Partner& p = *g.owner->partner;
    alignas(8) fw_grant image{};
    image.offset = cpu_to_be32(at);
    image.length = cpu_to_be32(g.length);
    image.peer_card = cpu_to_be32(static_cast<uint32_t>(p.mac));
    image.peer_session = cpu_to_be32(p.session);
    constexpr uint32_t begin = offsetof(fw_grant, offset), end = offsetof(fw_grant, reserved1);
    ep.window.store(grant_place(index) + begin, reinterpret_cast<const uint8_t*>(&image) + begin,
                    end - begin);
    ep.window.order_before_generation();
    store_generation(ep, index, true);
    ep.window.flush_to_card();
}

uint32_t block_bytes(const Grant& g, uint32_t block) {
    const uint32_t before = block * WIRE_BLOCK_SIZE;
    return g.length - before < WIRE_BLOCK_SIZE ? g.length - before : WIRE_BLOCK_SIZE;
}

void store_checksum(Endpoint& ep, unsigned index, uint32_t block) {
    Grant& g = ep.large.grants[index];
    uint32_t crc = 0;
    if (library.options.checksum)
        crc = g.owner->segments.crc(0, g.offset + block * WIRE_BLOCK_SIZE, block_bytes(g, block));
    alignas(8)
        fw_grant_crc entry{cpu_to_be32(static_cast<uint32_t>(g.generation) << 16 | block), cpu_to_be32(crc)};
    const unsigned at = block % FW_GRANT_CRCS;
    ep.window.store(grant_place(index) + static_cast<uint32_t>(offsetof(fw_grant, crcs) + at * sizeof entry),
                    &entry, sizeof entry);
    ep.window.flush_to_card();
    g.tags[at] = block + 1;
}

void release_grant(Endpoint& ep, unsigned index) {
    Grant& g = ep.large.grants[index];
    if (g.unasked)
        --ep.large.unasked;
    ep.registrations.release(g.registration);
    free(g.bounce);
    --g.owner->grants_open;
    const uint16_t generation = g.generation;
    g = Grant{};
    g.generation = generation;
    ep.large.checksums_due &= ~(1u << index);
}

void close_grant(Endpoint& ep, unsigned index) {
    store_generation(ep, index, false);
    ep.window.flush_to_card();
    release_grant(ep, index);
}

// Grants the window at `offset`. 0, or -ENOSPC: later; other errors are final.
int open_grant(Endpoint& ep, Send* s, uint32_t offset, bool unasked, msg_rendezvous& m) {
    const int index = free_grant(ep);
    if (index < 0)
        return -ENOSPC;
    Grant& g = ep.large.grants[index];
    const uint32_t bytes = s->length - offset < FW_WINDOW_MAX ? s->length - offset : FW_WINDOW_MAX;
    uint32_t at = 0;
    int error = 0;
    g.registration = ep.registrations.acquire(s->segments, offset, bytes, false, at, error);
    if (!g.registration && error == -E2BIG) {
        g.bounce = static_cast<uint8_t*>(aligned_alloc(4096, (bytes + 4095u) & ~size_t{4095}));
        if (!g.bounce)
            return -ENOSPC;
        s->segments.gather(offset, g.bounce, bytes);
        at = 0;
        g.registration = ep.registrations.acquire_own(g.bounce, bytes, false, error);
    }
    if (!g.registration) {
        free(g.bounce);
        g.bounce = nullptr;
        return error == -ENOMEM ? -ENOSPC : error;
    }
    g.owner = s;
    if (++g.generation == 0)
        g.generation = 1;
    g.unasked = unasked;
    ep.large.unasked += unasked;
    g.offset = offset;
    g.length = bytes;
    g.blocks = (bytes + WIRE_BLOCK_SIZE - 1) / WIRE_BLOCK_SIZE;
    g.wanted_to = g.blocks < blocks_ahead ? g.blocks : blocks_ahead;
    ep.large.checksums_due |= 1u << index;
    ++s->grants_open;
    store_grant(ep, static_cast<unsigned>(index), at);
    m.grant = cpu_to_be16(static_cast<uint16_t>(index));
    m.grant_generation = cpu_to_be16(g.generation);
    m.granted = cpu_to_be32(bytes);
    m.offset = cpu_to_be32(g.offset);
    return 0;
}

void want_grant(Endpoint& ep, Send* s) {
    if (s->wants_grant || (!s->asked_again && s->next_offset >= s->length) ||
        s->grants_open >= windows_open)
        return;
    s->wants_grant = true;
    ep.large.wanting.push_back(s);
}

bool number_in_use(const List<Send, &Send::link>& list, uint16_t number) {
    for (const Send* s = list.front(); s; s = s->link.next)
        if (s->rendezvous && s->rendezvous_number == number)
            return true;
    return false;
}

// The receiver may speak of a message whose acknowledgement is still on its way.
Send* find_rendezvous(Partner& p, uint16_t number) {
    for (auto* list : {&p.rendezvous, &p.unacked})
        for (Send* s = list->front(); s; s = s->link.next)
            if (s->rendezvous && s->rendezvous_number == number)
                return s;
    return nullptr;
}

void end_rendezvous(Endpoint& ep, Send* s, mx_status_code_t code, uint32_t taken) {
    s->network = false;
    s->place = Send::Place::none;
    ep.complete(s, code, taken);
    ep.release(s);
}

bool give_grant(Endpoint& ep) {
    Send* s = ep.large.wanting.front();
    if (!s)
        return false;
    msg_rendezvous m{};
    const bool again = s->asked_again;
    const uint32_t offset = again ? s->again[s->asked_again - 1u] : s->next_offset;
    const int status = open_grant(ep, s, offset, false, m);
    if (status == -ENOSPC)
        return false;
    ep.large.wanting.remove(s);
    s->wants_grant = false;
    if (status < 0) {
        partner_fail(ep, *s->partner, MX_STATUS_ABORTED); // the other side waits for data that cannot be had
        return true;
    }
    if (again)
        --s->asked_again;
    else
        s->next_offset += be32_to_cpu(m.granted);
    if (s->asked_again)
        want_grant(ep, s);
    m.rendezvous = cpu_to_be16(s->rendezvous_number);
    stream_submit_control(ep, *s->partner, MSG_WINDOW_NEXT, &m, sizeof m);
    return true;
}

} // namespace

bool large_prepare(Endpoint& ep, Send* s) {
    Partner& p = *s->partner;
    do
        s->rendezvous_number = p.next_rendezvous++;
    while (number_in_use(p.rendezvous, s->rendezvous_number) ||
           number_in_use(p.unacked, s->rendezvous_number));
    msg_rendezvous m{};
    if (s->length && ep.large.unasked < grants_unasked) {
        const int status = open_grant(ep, s, 0, true, m);
        if (status == -EFAULT)
            return false;
        s->next_offset = be32_to_cpu(m.granted);
    }
    m.rendezvous = cpu_to_be16(s->rendezvous_number);
    memcpy(s->data, &m, sizeof m);
    s->data_bytes = sizeof m;
    partner_owes(ep, p, 1);
    return true;
}

void large_grant_asked(Endpoint& ep, uint32_t grant_generation, uint32_t block) {
    const unsigned index = grant_generation >> 16;
    if (index >= FW_GRANTS)
        return;
    Grant& g = ep.large.grants[index];
    if (!g.owner || g.retiring || g.generation != (grant_generation & 0xffff) || block >= g.blocks)
        return;
    g.owner->partner->heard_at(seam.now()); // its card asks
    g.owner->matched = true;
    if (g.unasked) {
        g.unasked = false;
        --ep.large.unasked;
    }
    const uint32_t ahead = block + 1 + blocks_ahead;
    const uint32_t to = ahead < g.blocks ? ahead : g.blocks;
    if (to > g.wanted_to)
        g.wanted_to = to;
    if (block != g.next_block && g.tags[block % FW_GRANT_CRCS] != block + 1)
        store_checksum(ep, index, block); // asked for again, or out of order
    if (g.next_block < g.wanted_to)
        ep.large.checksums_due |= 1u << index;
    want_grant(ep, g.owner);
}

bool large_step(Endpoint& ep) {
    bool any = false;
    for (unsigned bit = 0; ep.large.retires_due && bit < FW_GRANTS + FW_PULLS; ++bit)
        if (ep.large.retires_due & 1u << bit) {
            ep.large.retires_due &= ~(1u << bit);
            if (bit < FW_GRANTS)
                large_retire(ep, FW_RETIRE_GRANT, bit);
            else
                large_retire(ep, FW_RETIRE_PULL, bit - FW_GRANTS);
        }
    if (ep.large.checksums_due) {
        const auto index = static_cast<unsigned>(__builtin_ctz(ep.large.checksums_due));
        Grant& g = ep.large.grants[index];
        store_checksum(ep, index, g.next_block);
        if (++g.next_block >= g.wanted_to)
            ep.large.checksums_due &= ~(1u << index);
        any = true;
    }
    any |= give_grant(ep);
    if (ep.large.work) {
        ep.large.work = false;
        any |= large_pull_more(ep);
    }
    return any;
}

void large_ask(Endpoint& ep, Partner& p, const msg_window& w) {
    Send* s = find_rendezvous(p, be16_to_cpu(w.rendezvous));
    if (!s) {
        msg_rendezvous none{};
        none.rendezvous = w.rendezvous;
        none.offset = w.offset;
        stream_submit_control(ep, p, MSG_WINDOW_NEXT, &none, sizeof none);
        return;
    }
    const uint32_t offset = be32_to_cpu(w.offset);
    if (offset % FW_WINDOW_MAX || (offset && offset >= s->length) || s->length == 0)
        return;
    s->matched = true;
    // The receiver has no use of the grant that it may have had for this range. Windows behind it are done or
    // on their way: they are not granted anew.
    for (unsigned i = 0; i < FW_GRANTS; ++i)
        if (ep.large.grants[i].owner == s && ep.large.grants[i].offset == offset)
            close_grant(ep, i);
    if (offset < s->next_offset) {
        bool known = false;
        for (unsigned i = 0; i < s->asked_again; ++i)
            known |= s->again[i] == offset;
        if (!known && s->asked_again < windows_open)
            s->again[s->asked_again++] = offset;
    }
    want_grant(ep, s);
}

void large_window_done(Endpoint& ep, Partner& p, const msg_window& w) {
    Send* s = find_rendezvous(p, be16_to_cpu(w.rendezvous));
    const unsigned index = be16_to_cpu(w.grant);
    if (!s || index >= FW_GRANTS)
        return;
    Grant& g = ep.large.grants[index];
    if (g.owner != s || g.generation != be16_to_cpu(w.grant_generation))
        return;
    close_grant(ep, index);
    want_grant(ep, s);
}

static void leave(Endpoint& ep, Send* s) {
    if (s->wants_grant)
        ep.large.wanting.remove(s);
    s->wants_grant = false;
    partner_owes(ep, *s->partner, -1);
}

void large_notify(Endpoint& ep, Partner& p, const msg_notify& n) {
    Send* s = find_rendezvous(p, be16_to_cpu(n.rendezvous));
    if (!s)
        return;
    (s->place == Send::Place::unacked ? p.unacked : p.rendezvous).remove(s);
    leave(ep, s);
    for (unsigned i = 0; i < FW_GRANTS; ++i)
        if (ep.large.grants[i].owner == s)
            close_grant(ep, i);
    const uint32_t taken = be32_to_cpu(n.taken) < s->length ? be32_to_cpu(n.taken) : s->length;
    if (be16_to_cpu(n.status) == MSG_NOTIFY_DAMAGED)
        end_rendezvous(ep, s, MX_STATUS_ABORTED, 0);
    else
        end_rendezvous(ep, s, taken < s->length ? MX_STATUS_TRUNCATED : MX_STATUS_SUCCESS, taken);
}

void large_abandon_send(Endpoint& ep, Send* s, mx_status_code_t code) {
    leave(ep, s);
    s->status.code = code;
    for (unsigned i = 0; i < FW_GRANTS; ++i) {
        Grant& g = ep.large.grants[i];
        if (g.owner != s)
            continue;
        store_generation(ep, i, false);
        g.retiring = true;
        ep.large.checksums_due &= ~(1u << i);
        ++s->retiring;
        large_retire(ep, FW_RETIRE_GRANT, i);
    }
    if (s->retiring == 0)
        end_rendezvous(ep, s, code, 0);
}

void large_grant_retired(Endpoint& ep, unsigned index) {
    Grant& g = ep.large.grants[index];
    if (!g.owner || !g.retiring)
        return;
    Send* s = g.owner;
    release_grant(ep, index);
    if (--s->retiring == 0)
        end_rendezvous(ep, s, s->status.code, 0);
}

void large_retire(Endpoint& ep, unsigned what, unsigned index) {
    if (ep.slots.free_slots() == 0) {
        ep.large.retires_due |= 1u << (what == FW_RETIRE_GRANT ? index : index + FW_GRANTS);
        return;
    }
    fw_retire_request r{};
    r.what = static_cast<uint8_t>(what);
    r.index = cpu_to_be16(static_cast<uint16_t>(index));
    const uint16_t generation =
        what == FW_RETIRE_GRANT ? ep.large.grants[index].generation : ep.large.pulls[index].generation;
    r.generation = cpu_to_be16(generation);
    ep.large.slots[ep.slots.posted() % FW_SLOTS] = {static_cast<uint16_t>(ep.slots.posted()), FW_SLOT_RETIRE,
                                                    static_cast<uint8_t>(what), static_cast<uint16_t>(index),
                                                    generation};
    memcpy(ep.slots.body(sizeof r), &r, sizeof r);
    ep.slots.post(SlotAddress{0, 0, FW_SLOT_RETIRE, 0}, sizeof r, 0);
}

void large_retired(Endpoint& ep, uint32_t index_generation, uint32_t what) {
    const unsigned index = index_generation >> 16;
    const unsigned generation = index_generation & 0xffff;
    if (what == FW_RETIRE_GRANT && index < FW_GRANTS && ep.large.grants[index].generation == generation)
        large_grant_retired(ep, index);
    else if (what == FW_RETIRE_PULL && index < FW_PULLS && ep.large.pulls[index].generation == generation)
        large_pull_retired(ep, index);
}

void control_message(Endpoint& ep, Partner& p, const Arrival* a) {
    msg_notify notify;
    msg_window window;
    msg_rendezvous next;
    switch (a->message) {
    case MSG_NOTIFY:
        memcpy(&notify, a->few, sizeof notify);
        large_notify(ep, p, notify);
        break;
    case MSG_WINDOW_DONE:
        memcpy(&window, a->few, sizeof window);
        large_window_done(ep, p, window);
        break;
    case MSG_GRANT_WANTED:
        memcpy(&window, a->few, sizeof window);
        large_ask(ep, p, window);
        break;
    case MSG_WINDOW_NEXT:
        memcpy(&next, a->few, sizeof next);
        large_window_next(ep, p, next);
        break;
    default:
        ++ep.counters.malformed;
    }
}

} // namespace myri
