// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/connect.h"

#include <string.h>

#include "libmyri/checksum.h"
#include "libmyri/library.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

constexpr uint64_t first_interval = 500 * ps_per_us;

struct Words {
    uint16_t peer;
    uint8_t endpoint;
    uint32_t destination_session; // 0 unless it is a reply
    uint64_t destination;         // MAC << 16 | endpoint
};

struct Offer {
    uint16_t next;     // first sequence number that may come
    uint16_t given_up; // as in struct msg_connect
};

bool send_words(Endpoint& ep, const Words& to, msg_kind kind, uint32_t key, uint32_t number, const Offer& offer) {
    if (ep.slots.free_slots() == 0)
        return false;
    msg_header h{};
    h.kind = static_cast<uint8_t>(kind);
    if (const Partner* p = ep.partner(to.peer, to.endpoint, false)) {
        h.match = cpu_to_be64(p->session);
        h.ack = cpu_to_be16(p->receive_next);
    }
    msg_connect c{};
    c.session = cpu_to_be32(ep.session);
    c.key = cpu_to_be32(key);
    c.number = cpu_to_be32(number);
    c.next_sequence = cpu_to_be16(offer.next);
    c.given_up = cpu_to_be16(offer.given_up);
    // Connecting is checked whatever MX_CSUM says: it is rare, and everything rests on it.
    const uint32_t prefix =
        checksum_prefix(ep.mac << 16 | ep.id, to.destination, ep.session, to.destination_session);
    h.crc = cpu_to_be32(checksum_data(checksum_header(prefix, h), &c, sizeof c));
    uint8_t* body = ep.slots.body(sizeof h + sizeof c);
    memcpy(body, &h, sizeof h);
    memcpy(body + sizeof h, &c, sizeof c);
    ep.slots.post(SlotAddress{to.peer, to.endpoint, FW_SLOT_CONNECT, to.destination_session},
                  sizeof h + sizeof c, 0);
    return true;
}

uint64_t mac_of(const Endpoint& ep, uint16_t peer) {
    return library.boards[ep.board].peers[peer].mac;
}

void send_connect(Endpoint& ep, Connect* c, uint64_t now) {
    const Words to{c->peer, c->peer_endpoint, 0, mac_of(ep, c->peer) << 16 | c->peer_endpoint};
    if (send_words(ep, to, MSG_CONNECT, c->key, c->number, {c->announced, c->given_up})) {
        c->sent_at = c->sent ? 0 : now; // a repeated one gives no round trip
        c->sent = true;
        c->resend_at = now + c->interval;
        c->interval = c->interval * 2 > resend_ceiling ? resend_ceiling : c->interval * 2;
    } else {
        c->resend_at = now + refusal_spacing;
    }
    ep.arm(c->resend_at < c->deadline ? c->resend_at : c->deadline);
}

} // namespace

// A new number, too: answers to what was said before do not count.
static void begin(Endpoint& ep, Connect* c) {
    const Partner* p = ep.partner(c->peer, c->peer_endpoint, false);
    c->announced = p ? p->send_base : first_sequence;
    c->given_up = p ? p->given_up : 0;
    c->number = ep.next_connect++;
    c->interval = first_interval;
    send_connect(ep, c, seam.now());
}

void connect_end(Endpoint& ep, Connect* c, mx_status_code_t code) {
    if (c->link.linked)
        ep.connects.remove(c);
    c->network = false;
    c->status.match_info = c->match;
    ep.complete(c, code, 0);
    if (c->over) {
        *c->reported_to = c->status;
        *c->over = true;
    }
    ep.release(c);
}

void connect_start(Endpoint& ep, Connect* c) {
    c->network = true;
    if (c->peer == ep.self->peer && c->peer_endpoint == ep.id) {
        c->partner = ep.self;
        connect_end(ep, c, c->key == ep.key ? MX_STATUS_SUCCESS : MX_STATUS_BAD_KEY);
        return;
    }
    ep.connects.push_back(c);
    begin(ep, c);
}

void connect_packet(Endpoint& ep, uint16_t peer, uint8_t endpoint, const msg_header& h, const uint8_t* data,
                    uint32_t bytes) {
    msg_connect m;
    if (bytes != sizeof m || (h.kind != MSG_CONNECT && h.kind != MSG_CONNECT_REPLY)) {
        ++ep.counters.malformed;
        return;
    }
    memcpy(&m, data, sizeof m);
    const bool reply = h.kind == MSG_CONNECT_REPLY;
    const uint32_t session = be32_to_cpu(m.session);
    const uint64_t other = mac_of(ep, peer) << 16 | endpoint;
    const uint32_t prefix = checksum_prefix(other, ep.mac << 16 | ep.id, session, reply ? ep.session : 0);
    if (checksum_data(checksum_header(prefix, h), &m, sizeof m) != be32_to_cpu(h.crc)) {
        ++ep.counters.bad_checksum;
        return;
    }
    const uint16_t next = be16_to_cpu(m.next_sequence);
    const uint32_t number = be32_to_cpu(m.number);
    const bool known = be64_to_cpu(h.match) == ep.session; // it speaks to this session
    if (!reply) {
        const Words to{peer, endpoint, session, other};
        if (be32_to_cpu(m.key) != ep.key) {
            send_words(ep, to, MSG_CONNECT_REPLY, MSG_CONNECT_BAD_KEY, number, {0, 0});
            return;
        }
        Partner* p = ep.partner(peer, endpoint, true);
        if (!p)
            return; // no memory: the other side asks again
        partner_establish(ep, *p, session, next);
        if (known)
            partner_gave_up(ep, *p, be16_to_cpu(m.given_up), be16_to_cpu(h.ack));
        send_words(ep, to, MSG_CONNECT_REPLY, MSG_CONNECT_ACCEPTED, number, {p->send_base, p->given_up});
        return;
    }
    for (Connect* c = ep.connects.front(); c; c = c->link.next) {
        if (c->number != number || c->peer != peer || c->peer_endpoint != endpoint)
            continue;
        if (be32_to_cpu(m.key) != MSG_CONNECT_ACCEPTED) {
            connect_end(ep, c, MX_STATUS_BAD_KEY);
            return;
        }
        Partner* p = ep.partner(peer, endpoint, true);
        if (!p) {
            connect_end(ep, c, MX_STATUS_NO_RESOURCES);
            return;
        }
        if (p->session == session &&
            (p->given_up != c->given_up || (!p->connected && p->send_base != c->announced))) {
            begin(ep, c); // what was in flight has been given up since
            return;
        }
        const bool anew = p->session != session;
        partner_establish(ep, *p, session, next);
        if (known)
            partner_gave_up(ep, *p, be16_to_cpu(m.given_up), be16_to_cpu(h.ack));
        if (anew)
            p->send_next = p->send_base = c->announced;
        if (c->sent_at && p->smoothed_rtt == 0)
            p->smoothed_rtt = seam.now() - c->sent_at;
        c->partner = p;
        connect_end(ep, c, MX_STATUS_SUCCESS);
        return;
    }
}

void connect_refused(Endpoint& ep, uint16_t peer, uint8_t endpoint, unsigned reason) {
    const uint64_t now = seam.now();
    for (Connect* c = ep.connects.front(); c;) {
        Connect* next = c->link.next;
        if (c->peer == peer && c->peer_endpoint == endpoint && c->sent && reason == WIRE_REFUSED_CLOSED &&
            (c->refusals == 0 || now - c->refusal_at >= refusal_spacing)) {
            c->refusal_at = now;
            if (++c->refusals >= refusals_believed) {
                connect_end(ep, c, MX_STATUS_ENDPOINT_CLOSED);
            } else {
                c->resend_at = now + refusal_spacing;
                ep.arm(c->resend_at);
            }
        }
        c = next;
    }
}

void connect_again(Endpoint& ep) {
    const uint64_t now = seam.now();
    for (Connect* c = ep.connects.front(); c; c = c->link.next) {
        c->resend_at = now;
        ep.arm(now);
    }
}

uint64_t connect_timers(Endpoint& ep, uint64_t now) {
    uint64_t next_time = never;
    for (Connect* c = ep.connects.front(); c;) {
        Connect* next = c->link.next;
        if (now >= c->deadline) {
            connect_end(ep, c, MX_STATUS_TIMEOUT);
            c = next;
            continue;
        }
        if (now >= c->resend_at)
            send_connect(ep, c, now);
        if (c->resend_at < next_time)
            next_time = c->resend_at;
        if (c->deadline < next_time)
            next_time = c->deadline;
        c = next;
    }
    return next_time;
}

} // namespace myri
