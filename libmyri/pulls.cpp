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

// The user's buffer ends within this block.
bool is_cut(const IncomingWindow& w, uint32_t block) {
    return w.wanted - block * WIRE_BLOCK_SIZE < block_bytes(w, block);
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

// Where the first block of a pull goes.
struct Target {
    const Registration* registration = nullptr;
    uint32_t at = 0;         // in it
    uint8_t* copy = nullptr; // where we see it, if it is not the user's buffer
};

// Makes the target known to the card. 0 or a negative errno.
int find_target(Endpoint& ep, LargeReceive* l, IncomingWindow& w, unsigned handle, uint32_t block, Target& t) {
    if (ep.bounce.exists()) {
        const uint32_t at = ep.bounce.of_pull(handle);
        t = {ep.bounce.window(), at, ep.bounce.memory_at(at)};
        return 0;
    }
    int error = 0;
    if (is_cut(w, block)) {
        if (!l->cut_registration)
            l->cut_registration = register_own(ep, l->cut_block, WIRE_BLOCK_SIZE, error);
        t = {l->cut_registration, 0, l->cut_block};
        return error;
    }
    if (!w.registration) {
        const uint32_t whole = w.wanted == w.granted ? w.granted : w.wanted / WIRE_BLOCK_SIZE * WIRE_BLOCK_SIZE;
        if (!w.own)
            w.registration = ep.registrations.acquire(l->receive->segments, w.offset, whole, true, w.at, error);
        if (!w.registration && (w.own || error == -E2BIG))
            w.registration = register_own(ep, w.own, whole, error); // from its beginning: w.at is 0
        if (!w.registration)
            return error;
    }
    const uint32_t before = block * WIRE_BLOCK_SIZE;
    t = {w.registration, w.at + before, w.own ? w.own + before : nullptr};
    return 0;
}

// The end of a run of blocks that begins with `first` and can be one pull.
uint32_t run_end(const Endpoint& ep, const IncomingWindow& w, uint32_t first) {
    uint32_t most = FW_WINDOW_MAX / WIRE_BLOCK_SIZE;
    if (ep.bounce.exists())
        most = ep.bounce.share_blocks();
    else if (is_cut(w, first))
        most = 1;
    const uint32_t blocks = blocks_of(w.wanted);
    uint32_t end = first + 1;
    while (end < blocks && end - first < most && bit(w.missing, end) && !bit(w.requested, end) &&
           (ep.bounce.exists() || !is_cut(w, end)))
        ++end;
    return end;
}

void post_pull(Endpoint& ep, LargeReceive* l, unsigned window, unsigned handle, uint32_t first,
               uint32_t count, const Target& target) {
    IncomingWindow& w = l->windows[window];
    Pull& p = ep.large.pulls[handle];
    p.owner = l;
    p.window = window;
    p.retiring = false;
    p.copy = target.copy;
    p.first = first;
    p.count = p.remaining = count;
    if (++p.generation == 0)
        p.generation = 1;
    ++l->pulls;
    for (uint32_t b = first; b < first + count; ++b)
        set_bit(w.requested, b);
    fw_pull_request r{};
    r.pull = cpu_to_be16(static_cast<uint16_t>(handle));
    r.pull_generation = cpu_to_be16(p.generation);
    r.grant = cpu_to_be16(w.grant);
    r.grant_generation = cpu_to_be16(w.grant_generation);
    r.window = cpu_to_be16(static_cast<uint16_t>(target.registration->window));
    r.window_generation = cpu_to_be16(static_cast<uint16_t>(target.registration->generation));
    r.window_offset = cpu_to_be32(target.at);
    r.first_block = cpu_to_be16(static_cast<uint16_t>(first));
    r.block_count = cpu_to_be16(static_cast<uint16_t>(count));
    r.length = cpu_to_be32(smaller(w.granted - first * WIRE_BLOCK_SIZE, count * WIRE_BLOCK_SIZE));
    r.deadline_ms = cpu_to_be32(pull_deadline_ms);
    ep.large.slots[ep.slots.posted() % FW_SLOTS] = {static_cast<uint16_t>(ep.slots.posted()), FW_SLOT_PULL, 0,
                                                    static_cast<uint16_t>(handle), p.generation};
    memcpy(ep.slots.body(sizeof r), &r, sizeof r);
    ep.slots.post(SlotAddress{l->from->peer, l->from->id, FW_SLOT_PULL, l->from->session}, sizeof r, 0);
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
    if (w.dead)
        return 0;
    const uint32_t blocks = blocks_of(w.wanted);
    for (uint32_t b = 0; b < blocks; ++b) {
        if (!bit(w.missing, b) || bit(w.requested, b))
            continue;
        if (ep.bounce.exists() && l->pulls >= bounced_pulls)
            return 0; // one that ends brings the work back
        const int handle = free_pull(ep);
        if (handle < 0 || ep.slots.free_slots() == 0)
            return -EBUSY;
        Target target;
        const int status = find_target(ep, l, w, static_cast<unsigned>(handle), b, target);
        if (status < 0)
            return status;
        const uint32_t end = run_end(ep, w, b);
        post_pull(ep, l, window, static_cast<unsigned>(handle), b, end - b, target);
        any = true;
        b = end - 1;
    }
    return 0;
}

bool pull_take_block(LargeReceive* l, const IncomingWindow& w, const Pull& p, uint32_t block, uint32_t crc) {
    const uint32_t before = block * WIRE_BLOCK_SIZE, bytes = block_bytes(w, block);
    const Segments& user = l->receive->segments;
    if (!p.copy)
        return l->unchecked || user.crc(0, w.offset + before, bytes) == crc;
    const uint32_t wanted = smaller(bytes, w.wanted - before);
    const uint8_t* copy = p.copy + (block - p.first) * WIRE_BLOCK_SIZE;
    if (l->unchecked) {
        user.scatter(w.offset + before, copy, wanted);
        return true;
    }
    // A damaged block may stand in the user's buffer: it is still missing. What does not fit there counts too.
    const uint32_t fits = user.scatter_crc(0, w.offset + before, copy, wanted);
    return checksum_data(fits, copy + wanted, bytes - wanted) == crc;
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

void retire_pulls(Endpoint& ep, LargeReceive* l, unsigned window) {
    for (unsigned i = 0; i < FW_PULLS; ++i) {
        Pull& p = ep.large.pulls[i];
        if (p.owner != l || p.retiring || (window != all_windows && p.window != window))
            continue;
        p.retiring = true;
        large_retire(ep, FW_RETIRE_PULL, i);
    }
}

} // namespace myri
