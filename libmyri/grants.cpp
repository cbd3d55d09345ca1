// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/grants.h"

#include <errno.h>
#include <stdlib.h>

#include "libmyri/library.h"

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
        image.flags = g.copy ? 0 : FW_GRANT_IN_PLACE; // a copy is filled block by block
    }
    ep.window.store(grant_place(index), &image, 8);
    if (!valid)
        ep.window.order_before_generation(); // the place may be used again: its old grant must not show the new range
}

void store_grant(Endpoint& ep, unsigned index) {
    const Grant& g = ep.large.grants[index];
    const Partner& p = *g.owner->partner;
    alignas(8) fw_grant image{};
    image.offset = cpu_to_be32(g.at);
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
    const uint32_t before = block * WIRE_BLOCK_SIZE, bytes = block_bytes(g, block);
    const Segments& user = g.owner->segments;
    uint32_t crc = 0;
    if (g.copy) {
        ++ep.counters.copied_blocks;
        if (library.options.checksum)
            crc = user.gather_crc(0, g.offset + before, g.copy + before, bytes);
        else
            user.gather(g.offset + before, g.copy + before, bytes);
        ep.window.order_before_generation(); // the card reads the block when it finds its checksum
    } else if (library.options.checksum) {
        crc = user.crc(0, g.offset + before, bytes);
    }
    alignas(8)
        fw_grant_crc entry{cpu_to_be32(static_cast<uint32_t>(g.generation) << 16 | block), cpu_to_be32(crc)};
    const unsigned at = block % FW_GRANT_CRCS;
    ep.window.store(grant_place(index) + static_cast<uint32_t>(offsetof(fw_grant, crcs) + at * sizeof entry),
                    &entry, sizeof entry);
    ep.window.flush_to_card();
    g.tags[at] = block + 1;
}

// Finds what the card can read for a window: `at` in the grant's registration. 0 or a negative errno.
int find_memory(Endpoint& ep, unsigned index, const Send* s, uint32_t offset, uint32_t bytes, uint32_t& at) {
    Grant& g = ep.large.grants[index];
    if (ep.bounce.exists()) {
        at = ep.bounce.of_grant(index);
        g.copy = ep.bounce.memory_at(at);
        g.registration = RegistrationCache::share(ep.bounce.window());
        return 0;
    }
    int error = 0;
    g.registration = ep.registrations.acquire(s->segments, offset, bytes, false, at, error);
    if (!g.registration && error == -E2BIG) {
        g.own = static_cast<uint8_t*>(aligned_alloc(4096, (bytes + 4095u) & ~size_t{4095}));
        if (!g.own)
            return -ENOSPC;
        at = 0;
        g.copy = g.own;
        g.registration = ep.registrations.acquire_own(g.own, bytes, false, error);
    }
    if (g.registration)
        return 0;
    free(g.own);
    g.own = g.copy = nullptr;
    return error;
}

} // namespace

int grant_open(Endpoint& ep, Send* s, uint32_t offset, bool unasked, msg_rendezvous& m) {
    const int index = free_grant(ep);
    if (index < 0)
        return -ENOSPC;
    Grant& g = ep.large.grants[index];
    const uint32_t most = grant_window_bytes(ep), bytes = s->length - offset < most ? s->length - offset : most;
    const int status = find_memory(ep, static_cast<unsigned>(index), s, offset, bytes, g.at);
    if (status < 0)
        return status;
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
    store_grant(ep, static_cast<unsigned>(index));
    m.grant = cpu_to_be16(static_cast<uint16_t>(index));
    m.grant_generation = cpu_to_be16(g.generation);
    m.granted = cpu_to_be32(bytes);
    m.offset = cpu_to_be32(g.offset);
    return 0;
}

void grant_release(Endpoint& ep, unsigned index) {
    Grant& g = ep.large.grants[index];
    if (g.unasked)
        --ep.large.unasked;
    ep.registrations.release(g.registration);
    free(g.own);
    --g.owner->grants_open;
    const uint16_t generation = g.generation;
    g = Grant{};
    g.generation = generation;
    ep.large.checksums_due &= ~(1u << index);
}

void grant_close(Endpoint& ep, unsigned index) {
    store_generation(ep, index, false);
    ep.window.flush_to_card();
    grant_release(ep, index);
}

void grant_retire(Endpoint& ep, unsigned index) {
    store_generation(ep, index, false);
    ep.large.grants[index].retiring = true;
    ep.large.checksums_due &= ~(1u << index);
    large_retire(ep, FW_RETIRE_GRANT, index);
}

void grant_write_again(Endpoint& ep, unsigned index) {
    Grant& g = ep.large.grants[index];
    for (uint32_t& tag : g.tags)
        tag = 0;
    g.next_block = g.wanted_to > FW_GRANT_CRCS ? g.wanted_to - FW_GRANT_CRCS : 0;
    ep.large.checksums_due |= 1u << index;
    store_grant(ep, index);
}

void grant_asked(Endpoint& ep, unsigned index, uint32_t block) {
    Grant& g = ep.large.grants[index];
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
}

void grant_checksum(Endpoint& ep) {
    const auto index = static_cast<unsigned>(__builtin_ctz(ep.large.checksums_due));
    Grant& g = ep.large.grants[index];
    store_checksum(ep, index, g.next_block);
    if (++g.next_block >= g.wanted_to)
        ep.large.checksums_due &= ~(1u << index);
}

} // namespace myri
