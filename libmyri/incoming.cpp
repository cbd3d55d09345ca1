// SPDX-License-Identifier: BSD-3-Clause
// From an event to a message that is checked, held or given its turn.
#include "libmyri/incoming.h"

#include <stdlib.h>
#include <string.h>

#include "libmyri/arrival.h"
#include "libmyri/checksum.h"
#include "libmyri/connect.h"
#include "libmyri/fragments.h"
#include "libmyri/library.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

struct Packet {
    msg_header h;
    const uint8_t* data;
    uint32_t bytes;
};

// False if header and length do not make a packet.
bool unpack(const Endpoint& ep, const fw_event& event, Packet& p) {
    const uint32_t length = be16_to_cpu(event.u.packet.header.length);
    if (length < sizeof(msg_header))
        return false;
    memcpy(&p.h, event.u.packet.body, sizeof p.h);
    if (length <= WIRE_BODY_INLINE) {
        p.data = event.u.packet.body + sizeof(msg_header);
        p.bytes = length - static_cast<uint32_t>(sizeof(msg_header));
        return true;
    }
    if (length <= WIRE_BODY_DATA || length > WIRE_BODY_DATA + WIRE_DATA_MAX)
        return false;
    p.bytes = length - WIRE_BODY_DATA;
    const uint32_t at = be32_to_cpu(event.argument) & (ep.receive_size - 1);
    if (at + p.bytes > ep.receive_size)
        return false;
    p.data = ep.receive_ring + at;
    return true;
}

// An answer to a probe says that the partner lives, not that it gets on: probes go on getting rarer.
void heard(Partner& p, bool only_alive) {
    p.heard_at(seam.now());
    p.refusals = 0;
    p.refused_probe_at = never;
    if (!only_alive)
        p.probe_backoff = 0;
}

// Something is missing although something behind it is here, or came damaged.
void report_gap(Endpoint& ep, Partner& p) {
    const uint64_t now = seam.now();
    const uint64_t spacing = p.smoothed_rtt > refusal_spacing ? p.smoothed_rtt : refusal_spacing;
    if (p.gap_reported == p.receive_next && p.gap_reported_at && now - p.gap_reported_at < spacing)
        return;
    p.gap_reported = p.receive_next;
    p.gap_reported_at = now;
    stream_bare(ep, p, MSG_ACK, MSG_FLAG_GAP);
}

void damaged(Endpoint& ep, Partner& p) {
    ++ep.counters.bad_checksum;
    report_gap(ep, p);
}

void duplicate(Endpoint& ep, Partner& p) {
    ++ep.counters.duplicates;
    stream_bare(ep, p, MSG_ACK); // the acknowledgement may have been lost
}

bool check(const Partner& p, const Packet& k) {
    return checksum_absent(k.h) ||
           checksum_data(checksum_header(p.prefix_in, k.h), k.data, k.bytes) == be32_to_cpu(k.h.crc);
}

// Whether a sequence number is one that may come now; answers duplicates.
bool in_window(Endpoint& ep, Partner& p, uint16_t sequence) {
    const int ahead = sequence_distance(sequence, p.receive_next);
    if (ahead < 0) {
        duplicate(ep, p);
        return false;
    }
    return ahead < stream_window;
}

// The body that each control message must at least have.
uint32_t least_bytes(uint8_t kind) {
    switch (kind) {
    case MSG_RENDEZVOUS:
    case MSG_WINDOW_NEXT:
        return sizeof(msg_rendezvous);
    case MSG_NOTIFY:
        return sizeof(msg_notify);
    case MSG_WINDOW_DONE:
    case MSG_GRANT_WANTED:
        return sizeof(msg_window);
    default:
        return 0;
    }
}

// A whole sequenced message in one packet, checked.
void whole_message(Endpoint& ep, Partner& p, const Packet& k) {
    const uint16_t sequence = be16_to_cpu(k.h.sequence);
    if (!in_window(ep, p, sequence))
        return;
    if (p.arrival(sequence)) {
        duplicate(ep, p);
        return;
    }
    const bool eager = k.h.kind == MSG_EAGER;
    const uint64_t match = be64_to_cpu(k.h.match);
    const uint32_t length = be32_to_cpu(k.h.length);
    if (eager ? length != k.bytes || length > MSG_SMALL_MAX
              : k.bytes < least_bytes(k.h.kind) || k.bytes > MSG_SMALL_MAX) {
        ++ep.counters.malformed;
        return;
    }
    const bool in_turn = sequence == p.match_next;
    if (eager && in_turn && sequence == p.receive_next) {
        // The short path: nothing is held, the message goes straight to its receive.
        if (Receive* r = ep.matcher.take_receive(match)) {
            const uint32_t stored = length < r->segments.length() ? length : r->segments.length();
            r->segments.scatter(0, k.data, stored);
            incoming_finish(ep, r, p, match, length);
            ++p.match_next;
            ++p.receive_next;
            stream_owe_ack(ep, p);
            arrivals_advance(ep, p);
            return;
        }
    }
    if (eager && !arrival_has_room(ep, p, length, in_turn && ep.matcher.would_match(match), in_turn))
        return;
    Arrival* a = arrival_new(ep, p, k.h);
    if (!a)
        return;
    memcpy(a->few, k.data, k.bytes);
    a->buffer = a->few;
    a->complete = true;
    if (eager)
        arrival_charge(ep, a);
    if (!in_turn)
        ++ep.counters.early;
    // What speaks of a rendezvous must not wait for a message before it that there is no room for: the room may
    // come only when this rendezvous ends.
    const uint32_t session = p.session;
    if (is_control(k.h.kind))
        control_message(ep, p, a);
    if (!p.connected || p.session != session)
        return;
    arrivals_advance(ep, p);
    if (sequence_distance(sequence, p.match_next) > 0 && !p.pushed_back)
        report_gap(ep, p);
}

// A fragment of a message that is known already: copied and checked in one pass, into bytes that are still
// missing.
bool known_fragment(Endpoint& ep, Partner& p, Arrival* a, const Packet& k, unsigned fragment) {
    const uint32_t offset = fragment << a->fragment_shift;
    if (checksum_absent(k.h)) {
        arrival_store(a, offset, k.data, k.bytes);
        return true;
    }
    uint32_t crc = checksum_header(p.prefix_in, k.h);
    crc = arrival_store_crc(a, offset, k.data, k.bytes, crc);
    if (crc == be32_to_cpu(k.h.crc))
        return true;
    damaged(ep, p);
    return false;
}

void fragment_here(Endpoint& ep, Partner& p, Arrival* a, unsigned fragment) {
    const unsigned below = (1u << fragment) - 1;
    const bool hole = (a->fragments_here & below) != below;
    a->fragments_here = static_cast<uint8_t>(a->fragments_here | 1u << fragment);
    if (a->fragments_here == (1u << a->fragments) - 1)
        arrival_complete(ep, p, a);
    arrivals_advance(ep, p);
    if (hole)
        report_gap(ep, p);
}

void fragment_packet(Endpoint& ep, Partner& p, const Packet& k) {
    const uint16_t sequence = be16_to_cpu(k.h.sequence);
    const uint64_t match = be64_to_cpu(k.h.match);
    const uint32_t length = be32_to_cpu(k.h.length);
    const unsigned fragment = be16_to_cpu(k.h.fragment) & 0xff, shift = be16_to_cpu(k.h.fragment) >> 8;
    const bool size_possible = shift >= MSG_FRAGMENT_SHIFT_MIN && shift <= MSG_FRAGMENT_SHIFT_MAX;
    const unsigned count = size_possible ? fragment_count(length, shift) : 0;
    const bool possible = length > MSG_SMALL_MAX && length <= MSG_MEDIUM_MAX && count <= MSG_FRAGMENTS &&
                          fragment < count && k.bytes == fragment_bytes(length, shift, fragment);
    const int ahead = sequence_distance(sequence, p.receive_next);
    Arrival* a = ahead >= 0 && ahead < stream_window ? p.arrival(sequence) : nullptr;
    const bool same = a && a->message == MSG_MEDIUM && a->length == length && a->match == match &&
                      a->fragment_shift == shift;

    if (possible && same && !a->complete && !(a->fragments_here & 1u << fragment)) {
        if (!known_fragment(ep, p, a, k, fragment))
            return;
        heard(p, false);
        stream_acknowledged(ep, p, be16_to_cpu(k.h.ack));
        fragment_here(ep, p, a, fragment);
        return;
    }
    if (!check(p, k)) {
        damaged(ep, p);
        return;
    }
    heard(p, false);
    stream_acknowledged(ep, p, be16_to_cpu(k.h.ack));
    if (!in_window(ep, p, sequence))
        return;
    if (!possible || (a && !same)) {
        ++ep.counters.malformed;
        return;
    }
    if (a) {
        duplicate(ep, p);
        return;
    }
    const bool in_turn = sequence == p.match_next;
    if (!arrival_has_room(ep, p, length, in_turn && ep.matcher.would_match(match), in_turn))
        return;
    a = arrival_new(ep, p, k.h);
    if (!a)
        return;
    a->fragments = static_cast<uint8_t>(count);
    a->fragment_shift = static_cast<uint8_t>(shift);
    arrival_charge(ep, a);
    if (in_turn && !arrival_waits(ep, a)) {
        a->matched = true;
        ++p.match_next;
        if (!arrival_turn(ep, a, count == 1 ? k.data : nullptr))
            return;
    } else if (!in_turn) {
        ++ep.counters.early;
    }
    if (!arrival_destination(ep, a)) {
        arrival_withdraw(ep, p, a);
        return;
    }
    arrival_store(a, fragment << shift, k.data, k.bytes);
    const bool early = sequence_distance(sequence, p.match_next) > 0;
    fragment_here(ep, p, a, fragment);
    if (early && sequence_distance(sequence, p.match_next) >= 0)
        report_gap(ep, p);
}

void message_packet(Endpoint& ep, Partner& p, const Packet& k) {
    if (k.h.kind == MSG_MEDIUM) {
        fragment_packet(ep, p, k);
        return;
    }
    if (!check(p, k)) {
        damaged(ep, p);
        return;
    }
    heard(p, k.h.kind == MSG_ACK || k.h.kind == MSG_PROBE);
    stream_acknowledged(ep, p, be16_to_cpu(k.h.ack));
    switch (k.h.kind) {
    case MSG_EAGER:
    case MSG_RENDEZVOUS:
    case MSG_NOTIFY:
    case MSG_WINDOW_DONE:
    case MSG_WINDOW_NEXT:
    case MSG_GRANT_WANTED:
        whole_message(ep, p, k);
        break;
    case MSG_ACK:
        stream_selective(ep, p, k.h);
        break;
    case MSG_PROBE:
        stream_bare(ep, p, MSG_ACK, p.receive_next != p.match_next ? MSG_FLAG_GAP : 0);
        break;
    case MSG_CLOSE:
        partner_fail(ep, p, MX_STATUS_ENDPOINT_CLOSED);
        break;
    default:
        ++ep.counters.malformed;
    }
}

void nack_packet(Endpoint& ep, uint16_t peer, uint8_t endpoint, const fw_event& event) {
    ++ep.counters.nacks;
    wire_nack n;
    memcpy(&n, event.u.packet.body, sizeof n);
    if (n.kind == WIRE_CONNECT) {
        connect_refused(ep, peer, endpoint, n.reason);
        return;
    }
    Partner* p = ep.partner(peer, endpoint, false);
    if (!p || !p->connected || be32_to_cpu(n.session) != p->session)
        return;
    if (n.kind == WIRE_PULL && n.reason == WIRE_REFUSED_GRANT)
        large_pull_refused(ep,
                           static_cast<uint32_t>(be16_to_cpu(n.pull)) << 16 | be16_to_cpu(n.pull_generation));
    else
        partner_refused(ep, *p, n.reason);
}

} // namespace

void incoming_packet(Endpoint& ep, const fw_event& event) {
    const wire_header& w = event.u.packet.header;
    const Board& board = library.boards[ep.board];
    const uint32_t peer = find_peer_by_card(board, be32_to_cpu(w.src_card));
    if (peer == no_peer || w.src_endpoint >= FW_ENDPOINTS) {
        // A refusal names the endpoint that a damaged packet was for, which need not exist.
        ++(w.kind == WIRE_NACK ? ep.counters.nacks : ep.counters.strangers);
        return;
    }
    if (w.kind == WIRE_NACK) {
        nack_packet(ep, static_cast<uint16_t>(peer), w.src_endpoint, event);
        return;
    }
    Packet k;
    if (!unpack(ep, event, k)) {
        ++ep.counters.malformed;
        return;
    }
    if (w.kind == WIRE_CONNECT) {
        connect_packet(ep, static_cast<uint16_t>(peer), w.src_endpoint, k.h, k.data, k.bytes);
        return;
    }
    Partner* p = ep.partner(static_cast<uint16_t>(peer), w.src_endpoint, false);
    if (w.kind != WIRE_MESSAGE || !p || !p->connected || !p->arrivals) {
        ++ep.counters.strangers;
        return;
    }
    message_packet(ep, *p, k);
}

} // namespace myri
