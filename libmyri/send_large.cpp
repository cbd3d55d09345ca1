// SPDX-License-Identifier: BSD-3-Clause
// The sender's side of large messages: which window is granted when, and the end.
#include <errno.h>
#include <string.h>
#include <initializer_list>

#include "libmyri/grants.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

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

// The receiver ends a message whose data will not come.
void tell_of_no_grant(Endpoint& ep, Partner& p, be16 rendezvous, be32 offset) {
    msg_rendezvous none{};
    none.rendezvous = rendezvous;
    none.offset = offset;
    stream_submit_control(ep, p, MSG_WINDOW_NEXT, &none, sizeof none);
}

void leave(Endpoint& ep, Send* s) {
    if (s->wants_grant)
        ep.large.wanting.remove(s);
    s->wants_grant = false;
    partner_owes(ep, *s->partner, -1);
}

} // namespace

int large_prepare(Endpoint& ep, Send* s) {
    Partner& p = *s->partner;
    do
        s->rendezvous_number = p.next_rendezvous++;
    while (number_in_use(p.rendezvous, s->rendezvous_number) ||
           number_in_use(p.unacked, s->rendezvous_number));
    msg_rendezvous m{};
    if (s->length && ep.large.unasked < grants_unasked) {
        const int status = grant_open(ep, s, 0, true, m);
        if (status == -EFAULT || status == -ENOMEM)
            return status;
        s->next_offset = be32_to_cpu(m.granted);
    }
    m.rendezvous = cpu_to_be16(s->rendezvous_number);
    m.window_blocks = cpu_to_be16(static_cast<uint16_t>(grant_window_bytes(ep) / WIRE_BLOCK_SIZE));
    memcpy(s->data, &m, sizeof m);
    s->data_bytes = sizeof m;
    partner_owes(ep, p, 1);
    return 0;
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
    grant_asked(ep, index, block);
    want_grant(ep, g.owner);
}

bool large_give_grant(Endpoint& ep) {
    Send* s = ep.large.wanting.front();
    if (!s)
        return false;
    msg_rendezvous m{};
    const bool again = s->asked_again;
    const uint32_t offset = again ? s->again[s->asked_again - 1u] : s->next_offset;
    const int status = grant_open(ep, s, offset, false, m);
    if (status == -ENOSPC)
        return false;
    ep.large.wanting.remove(s);
    s->wants_grant = false;
    if (status < 0) {
        Partner& p = *s->partner;
        tell_of_no_grant(ep, p, cpu_to_be16(s->rendezvous_number), cpu_to_be32(offset)); // it waits for data
        (s->place == Send::Place::unacked ? p.unacked : p.rendezvous).remove(s);
        s->place = Send::Place::none;
        large_abandon_send(ep, s, status == -ENOMEM ? MX_STATUS_NO_RESOURCES : MX_STATUS_ABORTED);
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

void large_ask(Endpoint& ep, Partner& p, const msg_window& w) {
    Send* s = find_rendezvous(p, be16_to_cpu(w.rendezvous));
    if (!s)
        return tell_of_no_grant(ep, p, w.rendezvous, w.offset);
    const uint32_t offset = be32_to_cpu(w.offset);
    if (offset % grant_window_bytes(ep) || (offset && offset >= s->length) || s->length == 0)
        return;
    s->matched = true;
    // The receiver has no use of the grant that it may have had for this range. Windows behind it are done or
    // on their way: they are not granted anew.
    for (unsigned i = 0; i < FW_GRANTS; ++i)
        if (ep.large.grants[i].owner == s && ep.large.grants[i].offset == offset)
            grant_close(ep, i);
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
    grant_close(ep, index);
    want_grant(ep, s);
}

void large_notify(Endpoint& ep, Partner& p, const msg_notify& n) {
    Send* s = find_rendezvous(p, be16_to_cpu(n.rendezvous));
    if (!s)
        return;
    (s->place == Send::Place::unacked ? p.unacked : p.rendezvous).remove(s);
    leave(ep, s);
    for (unsigned i = 0; i < FW_GRANTS; ++i)
        if (ep.large.grants[i].owner == s)
            grant_close(ep, i);
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
        ++s->retiring;
        grant_retire(ep, i);
    }
    if (s->retiring == 0)
        end_rendezvous(ep, s, code, 0);
}

void large_grant_retired(Endpoint& ep, unsigned index) {
    Grant& g = ep.large.grants[index];
    if (!g.owner || !g.retiring)
        return;
    Send* s = g.owner;
    grant_release(ep, index);
    if (--s->retiring == 0)
        end_rendezvous(ep, s, s->status.code, 0);
}

} // namespace myri
