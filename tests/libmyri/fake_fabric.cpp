// SPDX-License-Identifier: BSD-3-Clause
#include "tests/libmyri/fake_fabric.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace myri::test {

FakeFabric::FakeFabric(uint64_t seed) : random_(seed) {
    attached.boards = 1;
    attached.time = MYRI_TIME_VIRTUAL;
    attached.costs = {240000, 200000, 40000, 20000, 667, 1000, 100000, 0};
    attached.seed = seed;
    clock_page = &page_;
}

uint64_t FakeFabric::Window::length() const {
    uint64_t sum = 0;
    for (const myri_segment& s : segments)
        sum += s.length;
    return sum;
}

unsigned FakeFabric::registered(uint32_t endpoint) const {
    unsigned n = 0;
    for (const Window& w : endpoints_[endpoint].windows)
        n += w.used;
    return n;
}

void FakeFabric::remapped(const void* memory, size_t bytes) {
    const auto from = reinterpret_cast<uint64_t>(memory);
    for (Endpoint& e : endpoints_)
        for (unsigned i = 0; e.open && i < FW_WINDOWS; ++i)
            for (const myri_segment& s : e.windows[i].segments)
                if (e.windows[i].used && s.address < from + bytes && from < s.address + s.length)
                    e.page()->stale[i / 32] |= 1u << i % 32;
}

bool FakeFabric::grants_open(uint32_t endpoint) const {
    const auto* w = reinterpret_cast<const fw_endpoint_window*>(endpoints_[endpoint].sram);
    for (const fw_grant& g : w->grants)
        if (be16_to_cpu(g.generation))
            return true;
    return false;
}

// ---- a card that fails ----

// What was under way in it is lost.
void FakeFabric::stand_still() {
    still_ = true;
    queue_.clear();
}

void FakeFabric::restart_card(uint64_t time, uint64_t outage) {
    at(time, [this, outage] {
        stand_still();
        at(time_ + outage, [this] {
            still_ = false;
            ++restarts;
            for (Endpoint& e : endpoints_)
                if (e.open) {
                    e.held = true;
                    ++e.page()->restarts;
                }
            changed_ = true;
        });
    });
}

void FakeFabric::kill_card(uint64_t time) {
    at(time, [this] {
        stand_still();
        dead_ = ETIMEDOUT;
        for (Endpoint& e : endpoints_)
            if (e.open)
                e.page()->dead = EIO;
        changed_ = true;
    });
}

int FakeFabric::resume(uint32_t endpoint) {
    Endpoint& e = endpoints_[endpoint];
    if (dead_ || !e.held)
        return dead_ ? -ENODEV : -EINVAL;
    std::memset(e.sram, 0, sizeof e.sram);
    std::memset(e.base, 0, entries * FW_EVENT_SIZE);
    std::fill(std::begin(e.open_pulls), std::end(e.open_pulls), uint16_t{0});
    e.slot_next = e.events_written = e.receive_position = e.slots_done = e.slots_told = 0;
    e.held = false;
    return 0;
}

// ---- time ----

void FakeFabric::take_stores() {
    std::vector<std::pair<uint32_t, std::pair<uint32_t, uint64_t>>> group; // endpoint, (offset, 8 bytes)
    const auto apply = [&] {
        if (faults.shuffle_stores)
            std::shuffle(group.begin(), group.end(), random_);
        for (auto& [endpoint, store] : group)
            std::memcpy(endpoints_[endpoint].sram + store.first, &store.second, 8);
        if (!group.empty())
            slots(group.front().first);
        group.clear();
    };
    for (uint32_t at = 0; at < page_.used;) {
        myri_store s;
        std::memcpy(&s, page_.records + at, sizeof s);
        at += sizeof s;
        time_ = std::max(time_, s.when);
        if (s.length == 0)
            apply();
        for (uint32_t i = 0; i < s.length; i += 8) {
            uint64_t v;
            std::memcpy(&v, page_.records + at + i, 8);
            group.push_back({s.endpoint & 0xffff, {s.offset + i, v}});
        }
        at += s.length;
        if (!faults.shuffle_stores)
            apply();
    }
    apply();
    page_.used = 0;
}

void FakeFabric::run_until(uint64_t time) {
    while (!queue_.empty() && queue_.begin()->first <= time) {
        time_ = std::max(time_, queue_.begin()->first);
        auto what = std::move(queue_.begin()->second);
        queue_.erase(queue_.begin());
        what();
    }
    time_ = std::max(time_, time);
}

int FakeFabric::request(uint32_t request, void* structure, size_t length) {
    take_stores();
    run_until(moment.now);
    int status = 0;
    switch (request) {
    case MYRI_CLOCK: {
        const auto* c = static_cast<const myri_clock*>(structure);
        if (c->kind == MYRI_CLOCK_PARK) {
            changed_ = false;
            while (!changed_ && !queue_.empty() && queue_.begin()->first < c->until) {
                const uint64_t t = queue_.begin()->first;
                run_until(t);
                if (changed_) {
                    const uint64_t period = c->poll_period ? c->poll_period : 1;
                    if (t > moment.now)
                        moment.now += (t - moment.now + period - 1) / period * period;
                }
            }
            if (!changed_) {
                if (c->until == ~UINT64_C(0)) {
                    std::fprintf(stderr, "everybody waits and nothing can come\n");
                    std::abort();
                }
                moment.now = c->until;
            }
        }
        break;
    }
    case MYRI_BOARD_INFO: {
        auto* info = static_cast<myri_board_info*>(structure);
        info->mac = mac;
        info->dead = dead_;
        info->serial = 4711;
        info->ports = 1;
        info->endpoints = FW_ENDPOINTS;
        info->peer_count = 1;
        info->numa_node = -1;
        std::strcpy(info->product_code, "FAKE");
        break;
    }
    case MYRI_PEERS: {
        auto* p = static_cast<myri_peers*>(structure);
        p->total = 1;
        p->count = p->first == 0;
        p->peer[0].mac = mac;
        std::strcpy(p->peer[0].name, "here:0");
        break;
    }
    case MYRI_COUNTERS: {
        auto* c = static_cast<myri_counters*>(structure);
        c->count = FW_COUNTER_COUNT;
        c->value[0] = static_cast<uint32_t>(packets);
        break;
    }
    case MYRI_ENDPOINT_RESUME:
        status = resume(static_cast<const myri_endpoint_ref*>(structure)->endpoint);
        break;
    case MYRI_REGISTER:
        status = dead_ ? -ENODEV : register_window(*static_cast<myri_register*>(structure));
        break;
    case MYRI_UNREGISTER: {
        const auto* u = static_cast<const myri_unregister*>(structure);
        Window& w = endpoints_[u->endpoint].windows[u->window];
        if (!w.used || w.generation != u->generation)
            status = -EINVAL;
        else
            w.used = false;
        break;
    }
    default:
        status = -EINVAL;
    }
    (void)length;
    run_until(moment.now);
    moment.safe_until = queue_.empty() ? moment.now + 1000000 : queue_.begin()->first;
    return status;
}

int FakeFabric::register_window(myri_register& m) {
    ++registrations_asked;
    Endpoint& e = endpoints_[m.endpoint];
    std::vector<myri_segment> list(m.segment, m.segment + m.count);
    const bool bounce = m.flags & MYRI_REGISTER_BOUNCE;
    if (bounce != (e.bounce_bytes != 0))
        return bounce ? -EINVAL : -EOPNOTSUPP;
    for (myri_segment& s : list)
        if (bounce) {
            if (s.address > e.bounce_bytes || s.length > e.bounce_bytes - s.address)
                return -EFAULT;
            s.address += reinterpret_cast<uint64_t>(e.base + e.bounce_offset);
        }
    uint64_t offset = 0;
    unsigned pieces = 0;
    for (const myri_segment& s : list) {
        pieces = offset / WIRE_BLOCK_SIZE == (offset + s.length - 1) / WIRE_BLOCK_SIZE ? pieces + 1 : 1;
        if (pieces > FW_WINDOW_PIECES)
            return -E2BIG;
        offset += s.length;
    }
    if (offset > FW_WINDOW_MAX)
        return -E2BIG;
    uint64_t locked = offset;
    for (const Endpoint& other : endpoints_)
        for (const Window& w : other.windows)
            locked += other.open && w.used ? w.length() : 0;
    if (locked > lockable)
        return -ENOMEM;
    for (uint32_t i = 0; i < windows_per_endpoint; ++i)
        if (!e.windows[i].used) {
            e.windows[i].used = true;
            ++e.windows[i].generation;
            e.windows[i].segments = list;
            e.page()->stale[i / 32] &= ~(1u << i % 32);
            m.window = i;
            m.generation = e.windows[i].generation;
            return 0;
        }
    return -ENOSPC;
}

int FakeFabric::open(myri_endpoint_open& o, EndpointMemory& memory) {
    if (o.endpoint == MYRI_ANY)
        for (o.endpoint = 0; o.endpoint < FW_ENDPOINTS && endpoints_[o.endpoint].open;)
            ++o.endpoint;
    if (o.endpoint >= FW_ENDPOINTS || endpoints_[o.endpoint].open)
        return -EBUSY;
    Endpoint& e = endpoints_[o.endpoint];
    e = Endpoint{};
    e.open = true;
    e.session = ++sessions_;
    e.bounce_bytes = bounce_bytes[o.endpoint];
    e.rings.assign(entries * FW_EVENT_SIZE + receive_bytes + send_bytes + 3 * 4096 + e.bounce_bytes, 0);
    e.base =
        reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(e.rings.data()) + 4095) & ~uintptr_t{4095});
    o.event_entries = entries;
    o.receive_bytes = receive_bytes;
    o.send_bytes = send_bytes;
    o.session = e.session;
    o.event_offset = 0;
    o.receive_offset = entries * FW_EVENT_SIZE;
    o.send_offset = o.receive_offset + receive_bytes;
    o.page_offset = o.send_offset + send_bytes;
    o.bounce_bytes = e.bounce_bytes;
    o.bounce_offset = e.bounce_offset = e.bounce_bytes ? o.page_offset + 4096 : 0;
    o.ring_bytes = o.page_offset + 4096 + e.bounce_bytes;
    memory.rings = e.base;
    memory.ring_bytes = o.ring_bytes;
    memory.page = reinterpret_cast<myri_host_page*>(e.base + o.page_offset);
    moment.now += 1000000;
    return 0;
}

void FakeFabric::close(const myri_endpoint_ref& endpoint, EndpointMemory& memory) {
    take_stores();
    run_until(moment.now);
    endpoints_[endpoint.endpoint].open = false;
    memory = EndpointMemory{};
}

// ---- slots ----

void FakeFabric::slots(uint32_t endpoint) {
    Endpoint& e = endpoints_[endpoint];
    const auto* w = reinterpret_cast<const fw_endpoint_window*>(e.sram);
    while (e.open && !e.held && !still_) {
        const fw_slot& s = w->slots[e.slot_next % FW_SLOTS];
        if (be16_to_cpu(s.generation) != FW_GENERATION(e.slot_next, FW_SLOTS))
            return;
        const fw_slot copy = s;
        ++e.slot_next;
        slot(endpoint, copy);
        at(time_ + 500000, [this, endpoint] {
            Endpoint& owner = endpoints_[endpoint];
            ++owner.slots_done;
            if (owner.slots_done - owner.slots_told >= FW_SLOTS / 4)
                brief(endpoint, FW_EVENT_SLOTS, 0, 0, 0);
        });
    }
}

void FakeFabric::slot(uint32_t endpoint, const fw_slot& s) {
    Endpoint& e = endpoints_[endpoint];
    const uint32_t length = be16_to_cpu(s.length);
    const auto body = [&s](uint32_t n) {
        const uint8_t* from = s.body + FW_SLOT_BODY - ((n + 7) & ~7u);
        return std::vector<uint8_t>(from, from + n);
    };
    if (refuse_slot && refuse_slot(s.type)) {
        brief(endpoint, FW_EVENT_BAD_SLOT, (e.slot_next - 1) & 0xffff, FW_SLOT_BAD_RANGE, 0);
        return;
    }
    switch (s.type) {
    case FW_SLOT_SEND:
    case FW_SLOT_CONNECT: {
        std::vector<uint8_t> all = body(length), data;
        if (length > WIRE_BODY_INLINE) {
            data.assign(all.begin() + WIRE_BODY_DATA, all.end());
            all.resize(WIRE_BODY_INLINE);
        }
        send(endpoint, s.type == FW_SLOT_SEND ? WIRE_MESSAGE : WIRE_CONNECT, s, all, data);
        break;
    }
    case FW_SLOT_MEDIUM: {
        std::vector<uint8_t> all = body(WIRE_BODY_DATA);
        all.resize(WIRE_BODY_INLINE);
        const uint8_t* ring = e.base + entries * FW_EVENT_SIZE + receive_bytes + be32_to_cpu(s.argument);
        send(endpoint, WIRE_MESSAGE, s, all, std::vector<uint8_t>(ring, ring + length));
        break;
    }
    case FW_SLOT_PULL: {
        auto pull = std::make_shared<PullState>();
        const auto bytes = body(sizeof pull->request);
        std::memcpy(&pull->request, bytes.data(), bytes.size());
        pull->from = endpoint;
        pull->to = s.dst_endpoint;
        pull->to_session = be32_to_cpu(s.dst_session);
        pull->left = be16_to_cpu(pull->request.block_count);
        pull->last_news = time_;
        pull_deadline(pull);
        e.open_pulls[be16_to_cpu(pull->request.pull)] = be16_to_cpu(pull->request.pull_generation);
        const uint32_t first = be16_to_cpu(pull->request.first_block);
        for (uint32_t b = first; b < first + pull->left; ++b)
            at(time_ + latency * 2 + (b - first) * 1000000, [this, pull, b] { pull_block(pull, b, false); });
        break;
    }
    case FW_SLOT_RETIRE: {
        fw_retire_request r;
        std::memcpy(&r, body(sizeof r).data(), sizeof r);
        const uint32_t index = be16_to_cpu(r.index), generation = be16_to_cpu(r.generation);
        const uint8_t what = r.what;
        if (what == FW_RETIRE_PULL && e.open_pulls[index] == generation)
            e.open_pulls[index] = 0;
        at(time_ + 2000000, [this, endpoint, index, generation, what] {
            brief(endpoint, FW_EVENT_RETIRED, index << 16 | generation, what, 0);
        });
        break;
    }
    default:
        brief(endpoint, FW_EVENT_BAD_SLOT, 0, FW_SLOT_BAD_TYPE, 0);
    }
}

// ---- packets ----

void FakeFabric::send(uint32_t from, uint8_t kind, const fw_slot& s, std::vector<uint8_t> body,
                      std::vector<uint8_t> data) {
    ++packets;
    msg_header h;
    std::memcpy(&h, body.data(), sizeof h);
    ++sent_by_kind[h.kind];
    const uint32_t to = s.dst_endpoint, session = be32_to_cpu(s.dst_session);
    wire_free_ = std::max(time_, wire_free_) + (body.size() + data.size()) * 4000; // 250 MB/s, in order
    uint64_t when = wire_free_ + latency;
    if (chance(faults.drop) || (lose && lose(h)) || deaf_[to % FW_ENDPOINTS]) {
        ++dropped;
        return;
    }
    if (chance(faults.corrupt)) {
        ++corrupted;
        const size_t bits = (body.size() + data.size()) * 8;
        const size_t bit = random_() % bits;
        if (bit < body.size() * 8)
            body[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        else
            data[bit / 8 - body.size()] ^= static_cast<uint8_t>(1 << bit % 8);
    }
    if (chance(faults.reorder))
        when += 20000000;
    const int copies = chance(faults.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i)
        at(when, [=, this] { arrive(from, kind, to, session, body, data); });
}

void FakeFabric::arrive(uint32_t from, uint8_t kind, uint32_t to, uint32_t session, std::vector<uint8_t> body,
                        std::vector<uint8_t> data) {
    Endpoint& e = endpoints_[to];
    if (e.held)
        return;
    if (!e.open)
        return nack(to, from, kind, WIRE_REFUSED_CLOSED, session, 0, 0);
    if (kind == WIRE_MESSAGE && session != e.session)
        return nack(to, from, kind, WIRE_REFUSED_SESSION, session, 0, 0);
    const auto* w = reinterpret_cast<const fw_endpoint_window*>(e.sram);
    fw_event v{};
    wire_header& h = v.u.packet.header;
    h.type = cpu_to_be16(WIRE_TYPE);
    h.version = WIRE_VERSION;
    h.kind = kind;
    h.dst_endpoint = static_cast<uint8_t>(to);
    h.src_endpoint = static_cast<uint8_t>(from);
    h.length = cpu_to_be16(static_cast<uint16_t>(data.empty() ? body.size() : WIRE_BODY_DATA + data.size()));
    h.src_card = cpu_to_be32(static_cast<uint32_t>(mac));
    std::memcpy(v.u.packet.body, body.data(), body.size());
    if (!data.empty()) {
        const uint32_t size =
            (static_cast<uint32_t>(data.size()) + FW_RECEIVE_ALIGN - 1) & ~(FW_RECEIVE_ALIGN - 1);
        uint32_t position = e.receive_position;
        if (position % receive_bytes + size > receive_bytes)
            position += receive_bytes - position % receive_bytes;
        if (position + size - be32_to_cpu(w->receive_consumed) > receive_bytes)
            return nack(to, from, kind, WIRE_REFUSED_FULL, session, 0, 0);
        std::memcpy(e.base + entries * FW_EVENT_SIZE + position % receive_bytes, data.data(), data.size());
        v.argument = cpu_to_be32(position);
        v.type = FW_EVENT_PACKET;
        if (event(to, v))
            e.receive_position = position + size;
        else
            nack(to, from, kind, WIRE_REFUSED_FULL, session, 0, 0);
        return;
    }
    v.type = FW_EVENT_PACKET;
    if (!event(to, v))
        nack(to, from, kind, WIRE_REFUSED_FULL, session, 0, 0);
}

void FakeFabric::nack(uint32_t from, uint32_t to, uint8_t kind, uint8_t reason, uint32_t session,
                      uint16_t pull, uint16_t generation) {
    if (!endpoints_[to].open)
        return;
    wire_nack n{};
    n.reason = reason;
    n.kind = kind;
    n.pull = cpu_to_be16(pull);
    n.pull_generation = cpu_to_be16(generation);
    n.session = cpu_to_be32(session);
    fw_event v{};
    wire_header& h = v.u.packet.header;
    h.kind = WIRE_NACK;
    h.dst_endpoint = static_cast<uint8_t>(to);
    h.src_endpoint = static_cast<uint8_t>(from);
    h.length = cpu_to_be16(sizeof n);
    h.src_card = cpu_to_be32(static_cast<uint32_t>(mac));
    std::memcpy(v.u.packet.body, &n, sizeof n);
    v.type = FW_EVENT_PACKET;
    at(time_ + latency, [this, to, v] { event(to, v); });
}

bool FakeFabric::event(uint32_t endpoint, fw_event v) {
    Endpoint& e = endpoints_[endpoint];
    const auto* w = reinterpret_cast<const fw_endpoint_window*>(e.sram);
    if (e.open && (e.held || still_))
        return true; // lost
    if (!e.open || e.events_written - be32_to_cpu(w->events_consumed) >= entries)
        return false;
    v.slots_done = static_cast<uint8_t>(e.slots_done);
    e.slots_told = e.slots_done;
    v.generation = cpu_to_be16(static_cast<uint16_t>(FW_GENERATION(e.events_written, entries)));
    std::memcpy(e.base + e.events_written++ % entries * FW_EVENT_SIZE, &v, sizeof v);
    changed_ = true;
    return true;
}

void FakeFabric::brief(uint32_t endpoint, fw_event_type type, uint32_t a, uint32_t b, uint32_t argument) {
    fw_event v{};
    v.u.brief.a = cpu_to_be32(a);
    v.u.brief.b = cpu_to_be32(b);
    v.argument = cpu_to_be32(argument);
    v.type = static_cast<uint8_t>(type);
    if (!event(endpoint, v) && endpoints_[endpoint].open)
        at(time_ + 100000000, [=, this] { brief(endpoint, type, a, b, argument); });
}

} // namespace myri::test
