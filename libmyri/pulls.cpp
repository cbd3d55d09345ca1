// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/pulls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libmyri/checksum.h"

namespace myri {

namespace {

uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

uint32_t block_bytes(const IncomingWindow& w, uint32_t block) {
    return smaller(w.granted - block * WIRE_BLOCK_SIZE, WIRE_BLOCK_SIZE);
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

} // namespace

int free_pull(const Endpoint& ep) {
    for (unsigned i = 0; i < FW_PULLS; ++i)
        if (!ep.large.pulls[i].owner)
            return static_cast<int>(i);
    return -1;
}

Pull* live_pull(Endpoint& ep, uint32_t pull_generation) {
    const unsigned index = pull_generation >> 16;
    if (index >= FW_PULLS)
        return nullptr;
    Pull& p = ep.large.pulls[index];
    return p.owner && p.generation == (pull_generation & 0xffff) ? &p : nullptr;
}

bool pulled(const Endpoint& ep, const LargeReceive* l, unsigned window) {
    for (const Pull& p : ep.large.pulls)
        if (p.owner == l && p.window == window)
            return true;
    return false;
}

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

bool pull_take_block(LargeReceive* l, const IncomingWindow& w, const Pull& p, uint32_t block, uint32_t crc) {
    const uint32_t before = block * WIRE_BLOCK_SIZE, bytes = block_bytes(w, block);
    const uint8_t* copy = p.cut ? l->cut_block : w.bounce ? w.bounce + before : nullptr;
    if (!l->unchecked) {
        const uint32_t here = copy ? checksum_data(0, copy, bytes)
                                   : l->receive->segments.crc(0, w.offset + before, bytes);
        if (here != crc)
            return false;
    }
    if (copy)
        l->receive->segments.scatter(w.offset + before, copy, p.cut ? w.cut : bytes);
    return true;
}

void end_pull(Endpoint& ep, Pull& p) {
    LargeReceive* l = p.owner;
    IncomingWindow& w = l->windows[p.window];
    for (uint32_t b = p.first; b < p.first + p.count; ++b)
        clear_bit(w.requested, b);
    p.owner = nullptr;
    --l->pulls;
    ep.large.work = true;
}

void retire_pulls(Endpoint& ep, LargeReceive* l) {
    for (unsigned i = 0; i < FW_PULLS; ++i)
        if (ep.large.pulls[i].owner == l && !ep.large.pulls[i].retiring) {
            ep.large.pulls[i].retiring = true;
            large_retire(ep, FW_RETIRE_PULL, i);
        }
}

} // namespace myri
