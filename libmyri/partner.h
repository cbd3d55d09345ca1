// SPDX-License-Identifier: BSD-3-Clause
// A peer endpoint as one local endpoint knows it: the two streams of sequenced messages between them.
//
// Concepts
//  stream    sequence numbers count messages and wrap at 2^16. Outgoing: [send_base, send_next) is
//  unacknowledged.
//            Incoming: below receive_next all is here; below match_next all has had its turn in matching; the
//            messages from receive_next on that have begun to arrive stand in `arrivals`.
//  timers    absolute times, `never` when off. The endpoint looks at them when the earliest is due.
//  refusals  nacks are hints: "closed" and "bad session" count only when they answer separate probes.
#pragma once

#include <stdint.h>

#include "libmyri/clock.h"
#include "libmyri/request.h"

namespace myri {

constexpr uint16_t stream_window = 256;     // messages in flight per direction
// Of which the last are for messages about rendezvous: they end what else may wait for ever.
constexpr uint16_t stream_reserve = 64;
constexpr uint16_t first_sequence = 0xfff0; // wrapping is ordinary
constexpr uint64_t resend_floor = 100 * ps_per_us;
// Silence of a partner that owes something. Nothing waits for a probe but the news that it is gone, and a large message
// that shares a link says nothing for as long as some blocks of others take.
constexpr uint64_t probe_floor = ps_per_ms;
constexpr uint64_t resend_ceiling = 500 * ps_per_ms;
constexpr uint64_t ack_delay = 50 * ps_per_us; // below the resend floor by more than a round trip
constexpr uint64_t refusal_spacing = 20 * ps_per_us;
constexpr unsigned refusals_believed = 3;

inline int sequence_distance(uint16_t a, uint16_t b) {
    return static_cast<int16_t>(static_cast<uint16_t>(a - b));
}

struct Partner {
    Endpoint* endpoint = nullptr;
    uint16_t index = 0; // in the endpoint's list
    uint16_t peer = 0;  // in the card's peer table
    uint8_t id = 0;     // endpoint number there
    bool connected = false;
    bool self = false;
    uint64_t mac = 0;
    uint32_t session = 0;
    void* context = nullptr;
    mx_status_code_t gone = MX_STATUS_BAD_SESSION; // why it is not connected

    uint32_t prefix_out = 0;
    uint32_t prefix_in = 0;

    // outgoing
    uint16_t send_next = first_sequence;
    uint16_t send_base = first_sequence;
    uint16_t chunks_held = 0;
    uint8_t backoff = 0;
    uint32_t stuck_in = 0; // the last pass over what waits for slots in which one of its messages had to stay
    List<Send, &Send::link> held;
    List<Send, &Send::link> held_control; // goes before `held`
    List<Send, &Send::link> unacked;    // in the order of sequence
    List<Send, &Send::link> rendezvous; // acknowledged, and the receiver is not done
    uint16_t next_rendezvous = 1;
    uint64_t smoothed_rtt = 0;
    uint64_t last_gap_resend = 0;
    uint64_t resend_at = never;
    uint64_t deadline_at = never; // no request's time is over before

    // incoming
    uint16_t receive_next = first_sequence;
    uint16_t match_next = first_sequence;
    uint16_t unacknowledged = 0; // messages taken since an acknowledgement went out
    bool pushed_back = false;    // something was refused for want of room
    uint64_t ack_at = never;
    uint8_t ack_tries = 0; // in vain, for want of a slot
    uint64_t gap_reported_at = 0;
    uint16_t gap_reported = 0;
    Arrival** arrivals = nullptr; // stream_window entries, by sequence % stream_window

    // How often everything that was open in this session has been given up: here, and there as far as known.
    uint16_t given_up = 0;
    uint16_t they_gave_up = 0;

    // alive or not
    uint32_t owes = 0; // operations that wait for this partner beside acknowledgements
    uint8_t probe_backoff = 0;
    uint8_t refusals = 0;
    uint8_t refusal_reason = 0;
    uint64_t refusal_at = 0;
    uint64_t refused_probe_at = never; // the next attempt whose refusal would count
    uint64_t last_heard = 0;
    uint64_t unanswered_since = never; // the first probe since then
    uint64_t probe_at = never;

    Arrival*& arrival(uint16_t sequence) { return arrivals[sequence % stream_window]; }
    // Something good has come from it, or from its card about what it said.
    void heard_at(uint64_t now) {
        last_heard = now;
        unanswered_since = never;
    }
    uint64_t resend_interval() const {
        const uint64_t t = 4 * smoothed_rtt;
        return t < resend_floor ? resend_floor : t > resend_ceiling ? resend_ceiling : t;
    }
    uint64_t backed_off(unsigned shift) const { return backed_off(resend_interval(), shift); }
    uint64_t probe_interval() const {
        return backed_off(resend_interval() < probe_floor ? probe_floor : resend_interval(), probe_backoff);
    }

private:
    static uint64_t backed_off(uint64_t interval, unsigned shift) {
        const uint64_t t = interval << (shift > 13 ? 13 : shift);
        return t > resend_ceiling ? resend_ceiling : t;
    }
};

} // namespace myri
