// SPDX-License-Identifier: BSD-3-Clause
//
// FakeFabric: pulls, block by block.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tests/libmyri/fake_fabric.h"

namespace myri::test {

void FakeFabric::each_byte_range(const Window& w, uint64_t offset, uint64_t bytes,
                                 const std::function<void(uint8_t*, uint64_t)>& f) {
    for (const myri_segment& s : w.segments) {
        if (offset >= s.length) {
            offset -= s.length;
            continue;
        }
        const uint64_t n = std::min(bytes, s.length - offset);
        f(reinterpret_cast<uint8_t*>(s.address) + offset, n);
        bytes -= n;
        offset = 0;
        if (bytes == 0)
            return;
    }
    std::fprintf(stderr, "a transfer beyond its window\n");
    std::abort();
}

void FakeFabric::pull_deadline(std::shared_ptr<PullState> p) {
    const uint64_t due = p->last_news + be32_to_cpu(p->request.deadline_ms) * UINT64_C(1000000000);
    at(due, [this, p] {
        const uint16_t handle = be16_to_cpu(p->request.pull), generation = be16_to_cpu(p->request.pull_generation);
        Endpoint& from = endpoints_[p->from];
        if (p->left == 0 || !from.open || from.open_pulls[handle] != generation)
            return;
        if (time_ < p->last_news + be32_to_cpu(p->request.deadline_ms) * UINT64_C(1000000000))
            return pull_deadline(p);
        from.open_pulls[handle] = 0;
        brief(p->from, FW_EVENT_PULL_FAILED, static_cast<uint32_t>(handle) << 16 | generation, FW_PULL_TIMEOUT, 0);
    });
}

void FakeFabric::pull_block(std::shared_ptr<PullState> p, uint32_t block, bool asked) {
    const fw_pull_request& r = p->request;
    const uint16_t handle = be16_to_cpu(r.pull), generation = be16_to_cpu(r.pull_generation);
    Endpoint& from = endpoints_[p->from];
    Endpoint& to = endpoints_[p->to];
    if (!from.open || from.open_pulls[handle] != generation)
        return;
    const auto again = [&](uint64_t after, bool told) {
        at(time_ + after, [this, p, block, told] { pull_block(p, block, told); });
    };
    const auto refuse = [&](uint8_t reason) {
        nack(p->to, p->from, WIRE_PULL, reason, p->to_session, handle, generation);
        again(500000000, asked);
    };
    if (to.held)
        return again(500000000, asked);
    if (!to.open)
        return refuse(WIRE_REFUSED_CLOSED);
    if (to.session != p->to_session)
        return refuse(WIRE_REFUSED_SESSION);
    const uint16_t index = be16_to_cpu(r.grant);
    const fw_grant& g = reinterpret_cast<const fw_endpoint_window*>(to.sram)->grants[index];
    const Window& source = to.windows[be16_to_cpu(g.window) % FW_WINDOWS];
    if ((refuse_pull &&
         refuse_pull(static_cast<uint32_t>(index) << 16 | be16_to_cpu(r.grant_generation))) ||
        be16_to_cpu(r.grant_generation) == 0 ||
        be16_to_cpu(g.generation) != be16_to_cpu(r.grant_generation) ||
        be32_to_cpu(g.peer_session) != from.session || g.peer_endpoint != p->from || !source.used ||
        source.generation != be16_to_cpu(g.window_generation))
        return refuse(WIRE_REFUSED_GRANT);
    if (!asked)
        brief(p->to, FW_EVENT_GRANT_ASKED, static_cast<uint32_t>(index) << 16 | be16_to_cpu(g.generation),
              block, 0);
    const fw_grant_crc& c = g.crcs[block % FW_GRANT_CRCS];
    if (be32_to_cpu(c.tag) != (static_cast<uint32_t>(be16_to_cpu(g.generation)) << 16 | block))
        return again(std::clamp<uint64_t>(time_ - p->last_news, 5000000, 1000000000), true); // ever less often
    const uint32_t before = block * WIRE_BLOCK_SIZE;
    const uint32_t bytes = std::min<uint32_t>(WIRE_BLOCK_SIZE, be32_to_cpu(g.length) - before);
    std::vector<uint8_t> data;
    each_byte_range(source, be32_to_cpu(g.offset) + before, bytes,
                    [&](uint8_t* q, uint64_t n) { data.insert(data.end(), q, q + n); });
    if (chance(faults.corrupt_block)) {
        ++corrupted_blocks;
        data[random_() % data.size()] ^= static_cast<uint8_t>(1 << random_() % 8);
    }
    const Window& target = from.windows[be16_to_cpu(r.window)];
    if (!target.used || target.generation != be16_to_cpu(r.window_generation)) {
        std::fprintf(stderr, "a pull into a window that is gone\n");
        std::abort();
    }
    size_t at_byte = 0;
    each_byte_range(target,
                    be32_to_cpu(r.window_offset) + before - be16_to_cpu(r.first_block) * WIRE_BLOCK_SIZE,
                    bytes, [&](uint8_t* q, uint64_t n) {
                        std::memcpy(q, data.data() + at_byte, n);
                        at_byte += n;
                    });
    p->last_news = time_;
    if (--p->left == 0)
        from.open_pulls[handle] = 0;
    brief(p->from, FW_EVENT_BLOCK, static_cast<uint32_t>(handle) << 16 | generation, block,
          be32_to_cpu(c.crc));
}

} // namespace myri::test
