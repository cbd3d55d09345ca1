// SPDX-License-Identifier: BSD-3-Clause
// What both sides of large messages share: their turn in progress, retiring, refused slots, control messages.
#include "libmyri/large.h"

#include <stdlib.h>
#include <string.h>

#include "libmyri/grants.h"
#include "libmyri/pulls.h"

namespace myri {

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
        grant_checksum(ep);
        any = true;
    }
    any |= large_give_grant(ep);
    if (ep.large.work) {
        ep.large.work = false;
        any |= large_pull_more(ep);
    }
    return any;
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
    large_pull_impossible(ep, name);
}

void large_card_gone(Endpoint& ep) {
    ep.large.retires_due = 0;
    for (LargeSlot& slot : ep.large.slots)
        slot.type = 0;
    for (unsigned i = 0; i < FW_GRANTS; ++i)
        large_grant_retired(ep, i); // if it is retiring
    for (unsigned i = 0; i < FW_PULLS; ++i)
        large_pull_retired(ep, i);
}

void large_card_restarted(Endpoint& ep) {
    large_card_gone(ep);
    for (unsigned i = 0; i < FW_GRANTS; ++i)
        if (ep.large.grants[i].owner)
            grant_write_again(ep, i);
    for (Pull& p : ep.large.pulls)
        if (p.owner)
            end_pull(ep, p);
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

void large_clear(Endpoint& ep) {
    while (LargeReceive* l = ep.large.incoming.pop_front()) {
        for (IncomingWindow& w : l->windows)
            free(w.own);
        free(l->cut_block);
        l->~LargeReceive();
        free(l);
    }
    for (Grant& g : ep.large.grants)
        free(g.own);
    ep.large = Large{};
}

} // namespace myri
