// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/stream.h"

#include <string.h>
#include <initializer_list>

#include "libmyri/checksum.h"
#include "libmyri/fragments.h"
#include "libmyri/library.h"
#include "libmyri/sleep.h"

namespace myri {

namespace {

SlotAddress address(const Partner& p, fw_slot_type type) {
    return SlotAddress{p.peer, p.id, static_cast<uint8_t>(type), p.session};
}

msg_header header_of(Partner& p, const Send& s) {
    msg_header h{};
    h.kind = s.message;
    h.flags = s.flags;
    h.sequence = cpu_to_be16(s.sequence);
    h.match = cpu_to_be64(s.match);
    h.length = cpu_to_be32(s.length);
    h.ack = cpu_to_be16(p.receive_next);
    if (!library.options.checksum)
        h.flags |= MSG_FLAG_NO_CRC;
    // Whatever goes out acknowledges.
    p.ack_at = never;
    p.unacknowledged = 0;
    return h;
}

// Header and up to MSG_SMALL_MAX bytes in one slot.
void post_inline(Endpoint& ep, Partner& p, msg_header& h, const void* data, uint32_t bytes) {
    if (library.options.checksum)
        h.crc = cpu_to_be32(checksum_data(checksum_header(p.prefix_out, h), data, bytes));
    const bool fits = bytes <= MSG_INLINE_MAX;
    const uint32_t length = fits ? static_cast<uint32_t>(sizeof h) + bytes : WIRE_BODY_DATA + bytes;
    uint8_t* body = ep.slots.body(length);
    memcpy(body, &h, sizeof h);
    if (fits) {
        memcpy(body + sizeof h, data, bytes);
    } else {
        memset(body + sizeof h, 0, WIRE_BODY_DATA - sizeof h);
        memcpy(body + WIRE_BODY_DATA, data, bytes);
    }
    ep.slots.post(address(p, FW_SLOT_SEND), length, 0);
}


// `fill`: the data is copied from the user's buffer; else it stands in the send ring already.
void post_fragment(Endpoint& ep, Partner& p, Send& s, unsigned fragment, bool fill) {
    msg_header h = header_of(p, s);
    h.fragment = cpu_to_be16(static_cast<uint16_t>(s.fragment_shift << 8 | fragment));
    const uint32_t before = fragment << s.fragment_shift;
    const uint32_t bytes = fragment_bytes(s.length, s.fragment_shift, fragment);
    const uint32_t offset = s.chunks[fragment] * chunk_bytes;
    uint8_t* chunk = ep.send_ring + offset;
    if (!library.options.checksum) {
        if (fill)
            s.segments.gather(before, chunk, bytes);
    } else {
        uint32_t crc = checksum_header(p.prefix_out, h);
        crc = fill ? s.segments.gather_crc(crc, before, chunk, bytes)
                   : checksum_data(crc, chunk, bytes);
        h.crc = cpu_to_be32(crc);
    }
    uint8_t* body = ep.slots.body(WIRE_BODY_DATA);
    memset(body + sizeof h, 0, WIRE_BODY_DATA - sizeof h);
    memcpy(body, &h, sizeof h);
    ep.slots.post(address(p, FW_SLOT_MEDIUM), bytes, offset);
}

// Two slots stay free for acknowledgements and pulls.
constexpr unsigned slots_kept = 2;

bool room_in_stream(const Endpoint& ep, const Partner& p, const Send& s) {
    const int limit = is_control(s.message) ? stream_window : stream_window - stream_reserve;
    if (sequence_distance(p.send_next, p.send_base) >= limit)
        return false;
    // One partner that does not acknowledge must not hold the whole send ring.
    const uint32_t share = ep.chunk_count / 4 < 8 ? 8 : ep.chunk_count / 4;
    return s.message != MSG_MEDIUM || p.chunks_held == 0 || p.chunks_held + s.fragments <= share;
}

void admit(Endpoint& ep, Partner& p, Send* s) {
    s->sequence = p.send_next++;
    p.chunks_held = static_cast<uint16_t>(p.chunks_held + s->fragments);
    s->place = Send::Place::waiting;
    ep.waiting.push_back(s);
}

// Long messages take their time on the wire, at half the link's rate in the worst case.
constexpr uint64_t wire_byte = 8000; // picoseconds

uint64_t patience_with(const Partner& p, const Send& s) {
    return p.backed_off(p.backoff) + (s.message == MSG_MEDIUM ? s.length * wire_byte : 0);
}

void start_resend_timer(Endpoint& ep, Partner& p) {
    const Send* s = p.unacked.front();
    if (p.resend_at != never || !s)
        return;
    p.resend_at = seam.now() + patience_with(p, *s);
    ep.arm(p.resend_at);
}

void posted(Endpoint& ep, Partner& p, Send* s) {
    s->slot_mark = ep.slots.posted() - 1;
    s->posted_at = s->first_posted_at = seam.now();
    s->place = Send::Place::unacked;
    // A message may overtake one that found no room in the send ring.
    Send* after = p.unacked.back();
    while (after && sequence_distance(after->sequence, s->sequence) > 0)
        after = after->link.prev;
    p.unacked.insert_after(after, s);
    start_resend_timer(ep, p);
    if (s->awaited)
        wake_others(ep); // mx_buffered
    const bool eager = s->message == MSG_EAGER || s->message == MSG_MEDIUM;
    if (eager && !s->completed && library.options.zombie_send)
        ep.complete(s, MX_STATUS_SUCCESS, s->length);
}

// True when all of it is in slots.
bool post(Endpoint& ep, Send* s) {
    Partner& p = *s->partner;
    if (s->message == MSG_MEDIUM) {
        for (; s->fragments_posted < s->fragments; ++s->fragments_posted) {
            if (ep.slots.free_slots() <= slots_kept || ep.free_chunk_count == 0)
                return false;
            s->chunks[s->fragments_posted] = ep.free_chunks[--ep.free_chunk_count];
            post_fragment(ep, p, *s, s->fragments_posted, true);
        }
    } else {
        if (ep.slots.free_slots() <= slots_kept)
            return false;
        msg_header h = header_of(p, *s);
        post_inline(ep, p, h, s->data, s->data_bytes);
    }
    return true;
}

bool resend(Endpoint& ep, Send* s, uint64_t now) {
    Partner& p = *s->partner;
    if (s->message == MSG_MEDIUM) {
        for (unsigned f = 0; f < s->fragments; ++f) {
            if (s->fragments_acked & 1u << f)
                continue;
            if (ep.slots.free_slots() == 0)
                return false;
            post_fragment(ep, p, *s, f, false);
            s->slot_mark = ep.slots.posted() - 1;
            if (s->resends == 0)
                s->resends = 1; // if not all of it finds a slot, some of it was sent twice even so
        }
    } else {
        if (ep.slots.free_slots() == 0)
            return false;
        msg_header h = header_of(p, *s);
        post_inline(ep, p, h, s->data, s->data_bytes);
    }
    s->slot_mark = ep.slots.posted() - 1;
    s->posted_at = now;
    s->lost = false;
    if (s->resends < 0xffff)
        ++s->resends;
    ++ep.counters.resends;
    return true;
}

void free_chunks(Endpoint& ep, Send* s) {
    // What was sent again may still wait in its slot: new data there would go out under the old checksum.
    const bool lent = s->resends && static_cast<int32_t>(s->slot_mark - ep.slots.done()) >= 0;
    for (unsigned f = 0; f < s->fragments_posted; ++f)
        if (lent)
            ep.lent_chunks[ep.lent_chunk_count++] = LentChunk{s->slot_mark, s->chunks[f]};
        else
            ep.free_chunks[ep.free_chunk_count++] = s->chunks[f];
    s->partner->chunks_held = static_cast<uint16_t>(s->partner->chunks_held - s->fragments);
    s->fragments = s->fragments_posted = 0;
}

// At most a quarter of the slots stay untold, so a few chunks may have to wait for the next slots.
void take_back_chunks(Endpoint& ep) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ep.lent_chunk_count; ++i) {
        const LentChunk lent = ep.lent_chunks[i];
        if (static_cast<int32_t>(lent.slot_mark - ep.slots.done()) >= 0)
            ep.lent_chunks[kept++] = lent;
        else
            ep.free_chunks[ep.free_chunk_count++] = lent.chunk;
    }
    ep.lent_chunk_count = kept;
}

void admit_held(Endpoint& ep, Partner& p) {
    for (auto* list : {&p.held_control, &p.held})
        while (Send* s = list->front()) {
            if (!room_in_stream(ep, p, *s))
                break;
            list->remove(s);
            admit(ep, p, s);
        }
}

} // namespace

void stream_submit(Endpoint& ep, Send* s) {
    Partner& p = *s->partner;
    s->network = true;
    partner_deadline(ep, p, s->deadline);
    auto& held = is_control(s->message) ? p.held_control : p.held;
    if (!held.empty() || !room_in_stream(ep, p, *s)) {
        s->place = Send::Place::held;
        held.push_back(s);
        return;
    }
    admit(ep, p, s);
    stream_push(ep);
}

bool stream_submit_control(Endpoint& ep, Partner& p, msg_kind kind, const void* body, uint32_t bytes) {
    Send* s = ep.new_send();
    if (!s)
        return false;
    s->partner = &p;
    s->message = static_cast<uint8_t>(kind);
    s->data_bytes = static_cast<uint8_t>(bytes);
    memcpy(s->data, body, bytes);
    s->deadline = ep.patience() == never ? never : seam.now() + ep.patience();
    stream_submit(ep, s);
    return true;
}

bool stream_push(Endpoint& ep) {
    bool any = false;
    if (ep.lent_chunk_count)
        take_back_chunks(ep);
    const uint32_t pass = ++ep.push_pass;
    bool ring_full = false;
    for (Send* s = ep.waiting.front(); s;) {
        Send* next = s->link.next;
        Partner& p = *s->partner;
        // While one waits for room in the send ring, others that need some wait behind it; so does what else goes
        // to its partner, for the order, but not messages to others.
        const bool behind = ring_full && (s->message == MSG_MEDIUM || (p.stuck_in == pass && !is_control(s->message)));
        if (!behind) {
            const uint32_t before = ep.slots.posted();
            const bool whole = post(ep, s);
            any |= ep.slots.posted() != before;
            if (whole) {
                ep.waiting.remove(s);
                posted(ep, p, s);
            } else if (ep.slots.free_slots() <= slots_kept) {
                break;
            } else {
                ring_full = true;
            }
        }
        if (behind || s->place == Send::Place::waiting)
            p.stuck_in = pass;
        s = next;
    }
    return any;
}

static void acknowledge_one(Endpoint& ep, Partner& p, Send* s) {
    p.unacked.remove(s);
    if (s->rendezvous) {
        s->place = Send::Place::pulled;
        p.rendezvous.push_back(s);
        return;
    }
    free_chunks(ep, s);
    s->place = Send::Place::none;
    s->network = false;
    if (s->user && !s->completed)
        ep.complete(s, MX_STATUS_SUCCESS, s->length);
    ep.release(s);
}

void stream_acknowledged(Endpoint& ep, Partner& p, uint16_t ack) {
    const int news = sequence_distance(ack, p.send_base);
    if (news <= 0 || news > sequence_distance(p.send_next, p.send_base))
        return;
    uint64_t sample_from = 0;
    bool ambiguous = false;
    while (Send* s = p.unacked.front()) {
        if (sequence_distance(ack, s->sequence) <= 0)
            break;
        sample_from = s->first_posted_at;
        ambiguous = s->resends;
        acknowledge_one(ep, p, s);
    }
    p.send_base = ack;
    if (sample_from) {
        uint64_t sample = seam.now() - sample_from;
        // Which of the copies was acknowledged is unknown. Leaving such samples out would keep an estimate
        // that is too small for ever; taken whole, losses would inflate it.
        if (ambiguous && p.smoothed_rtt && sample > 2 * p.smoothed_rtt)
            sample = 2 * p.smoothed_rtt;
        p.smoothed_rtt = p.smoothed_rtt ? p.smoothed_rtt - p.smoothed_rtt / 8 + sample / 8 : sample;
    }
    p.backoff = 0;
    p.resend_at = never;
    start_resend_timer(ep, p);
    admit_held(ep, p);
    stream_push(ep);
}

static void repost_unacked(Endpoint& ep, Partner& p, uint64_t now) {
    for (Send* s = p.unacked.front(); s; s = s->link.next) {
        s->lost = !s->selectively_acked && !ep.slots.surely_waits(s->slot_mark);
        s->first_posted_at = now; // the time without a card is no round trip
    }
    // It was not the partner that was silent.
    p.heard_at(now);
    p.refusals = 0;
    p.backoff = p.probe_backoff = 0;
    p.resend_at = never;
    start_resend_timer(ep, p);
    ep.repost_at = now;
    ep.arm(now);
}

void stream_selective(Endpoint& ep, Partner& p, const msg_header& ack) {
    const uint16_t next = be16_to_cpu(ack.ack);
    const uint64_t there = be64_to_cpu(ack.match);
    const bool gap = ack.flags & MSG_FLAG_GAP;
    const uint64_t now = seam.now();
    for (Send* s = p.unacked.front(); s; s = s->link.next) {
        const int d = sequence_distance(s->sequence, next);
        if (d < 0)
            continue;
        if (d > 64)
            break;
        if (d == 0 && s->message == MSG_MEDIUM)
            s->fragments_acked |= static_cast<uint8_t>(be32_to_cpu(ack.length) & ((1u << s->fragments) - 1));
        if (d > 0 && there >> (d - 1) & 1) {
            s->selectively_acked = true;
            s->lost = false;
            continue;
        }
        // Messages behind the last one that arrived may still be on their way.
        if (!gap || (d > 0 && there >> (d - 1) == 0))
            continue;
        if (s->resends && now - s->posted_at < p.smoothed_rtt)
            continue; // it has been resent a moment ago
        if (!resend(ep, s, now))
            break;
    }
    if (ack.flags & MSG_FLAG_LOST)
        repost_unacked(ep, p, now);
}

void stream_card_restarted(Endpoint& ep) {
    for (uint32_t i = 0; i < ep.lent_chunk_count; ++i)
        ep.free_chunks[ep.free_chunk_count++] = ep.lent_chunks[i].chunk;
    ep.lent_chunk_count = 0;
    const uint64_t now = seam.now();
    for (uint32_t i = 0; i < ep.partner_count; ++i) {
        Partner& p = *ep.partners[i];
        for (Send* s = p.unacked.front(); s; s = s->link.next)
            s->slot_mark = ~0u; // in no slot
        repost_unacked(ep, p, now);
        // It may have gone on sending, and should not wait for its own timers.
        if (p.connected && !p.self)
            stream_bare(ep, p, MSG_ACK, MSG_FLAG_LOST);
    }
}

void stream_repost(Endpoint& ep, uint64_t now) {
    ep.repost_at = never;
    for (uint32_t i = 0; i < ep.partner_count; ++i)
        for (Send* s = ep.partners[i]->unacked.front(); s; s = s->link.next) {
            if (!s->lost)
                continue;
            if (ep.slots.free_slots() < slots_kept + (s->fragments ? s->fragments : 1u) || !resend(ep, s, now)) {
                ep.repost_at = now + refusal_spacing;
                ep.arm(ep.repost_at);
                return;
            }
        }
}

// The oldest message may be one that the receiver has no room for; what it does not hold up is repeated too.
static void resend_control(Endpoint& ep, Partner& p, uint64_t now) {
    const Send* oldest = p.unacked.front();
    for (Send* s = p.unacked.front(); s; s = s->link.next)
        if (s != oldest && is_control(s->message) && !s->selectively_acked &&
            now - s->posted_at >= p.resend_interval() && !resend(ep, s, now))
            return;
}

void stream_resend_due(Endpoint& ep, Partner& p, uint64_t now) {
    p.resend_at = never;
    Send* s = p.unacked.front();
    while (s && s->selectively_acked && s->link.next)
        s = s->link.next;
    if (!s)
        return;
    if (now >= s->deadline) {
        partner_fail(ep, p, MX_STATUS_TIMEOUT);
        return;
    }
    // What the card has not sent yet cannot be lost on the wire.
    const bool still_here = ep.slots.surely_waits(s->slot_mark) && now - s->posted_at < 50 * ps_per_ms;
    if (!still_here && resend(ep, s, now) && p.backoff < 16)
        ++p.backoff;
    if (p.backoff > 1)
        resend_control(ep, p, now);
    p.resend_at = now + patience_with(p, *s);
    if (p.resend_at > s->deadline)
        p.resend_at = s->deadline;
    ep.arm(p.resend_at);
}

bool stream_bare(Endpoint& ep, Partner& p, msg_kind kind, uint8_t flags) {
    if (ep.slots.free_slots() == 0)
        return false;
    Send s;
    s.message = static_cast<uint8_t>(kind);
    msg_header h = header_of(p, s);
    if (kind == MSG_ACK) {
        ++ep.counters.acks;
        uint64_t there = 0;
        for (uint16_t i = 0; p.arrivals && i < 64; ++i) {
            const Arrival* a = p.arrival(static_cast<uint16_t>(p.receive_next + 1 + i));
            if (a && a->complete)
                there |= UINT64_C(1) << i;
        }
        h.match = cpu_to_be64(there);
        const Arrival* first = p.arrivals ? p.arrival(p.receive_next) : nullptr;
        h.length = cpu_to_be32(first ? first->fragments_here : 0u);
        h.flags |= flags;
    } else if (kind == MSG_PROBE) {
        ++ep.counters.probes;
    }
    const uint8_t nothing = 0;
    post_inline(ep, p, h, &nothing, 0);
    return true;
}

void stream_owe_ack(Endpoint& ep, Partner& p) {
    if (++p.unacknowledged >= library.options.immediate_ack && stream_bare(ep, p, MSG_ACK))
        return;
    if (p.ack_at == never) {
        p.ack_at = seam.now() + ack_delay;
        p.ack_tries = 0;
        ep.arm(p.ack_at);
    }
}

void stream_forget(Endpoint& ep, Send* s) {
    free_chunks(ep, s);
}

} // namespace myri
