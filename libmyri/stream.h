// SPDX-License-Identifier: BSD-3-Clause
// The outgoing stream to a partner: sequence numbers, slots, acknowledgements, resends.
//
// Concepts: a message takes its sequence number when the stream has room (stream_window messages in flight),
// then waits for slots, is posted, and is kept until acknowledged. A timer, a nack or a gap that the receiver
// sees resends it; the oldest first. Giving up is by time. Packets that carry no message (ACK, PROBE, CLOSE)
// are not kept.
#pragma once

#include <stdint.h>

#include "libmyri/endpoint.h"

namespace myri {

// Whether a kind of message speaks of rendezvous: acted upon as soon as it arrives, not in the order of matching.
inline bool is_control(uint8_t kind) {
    return kind == MSG_NOTIFY || kind == MSG_WINDOW_DONE || kind == MSG_WINDOW_NEXT ||
           kind == MSG_GRANT_WANTED;
}

// The message's fields are filled in. Posts it at once if nothing stands before it.
void stream_submit(Endpoint& ep, Send* send);

// A control message with `bytes` of body. False when memory is short.
bool stream_submit_control(Endpoint& ep, Partner& p, msg_kind kind, const void* body, uint32_t bytes);

// Posts what waits, as far as slots and send ring have room. True if anything was posted.
bool stream_push(Endpoint& ep);

// The partner expects `ack` next.
void stream_acknowledged(Endpoint& ep, Partner& p, uint16_t ack);

// A MSG_ACK's account of what is there beyond `ack`.
void stream_selective(Endpoint& ep, Partner& p, const msg_header& ack);

void stream_resend_due(Endpoint& ep, Partner& p, uint64_t now);

// The card has forgotten its slots: what is unacknowledged is posted again, the oldest first, as slots allow.
void stream_card_restarted(Endpoint& ep);
void stream_repost(Endpoint& ep, uint64_t now);

// Sends a packet without a message; `flags` are those of a MSG_ACK. False when there is no slot.
bool stream_bare(Endpoint& ep, Partner& p, msg_kind kind, uint8_t flags = 0);

// Gives back what a message holds of the send ring.
void stream_forget(Endpoint& ep, Send* send);

// A message has been taken: acknowledge now, soon or by the next packet.
void stream_owe_ack(Endpoint& ep, Partner& p);

// Ends everything that is pending with a partner; it must be connected again before use.
void partner_fail(Endpoint& ep, Partner& p, mx_status_code_t code);

// The partner says that it has given up what was open between the two, for the `count`-th time in this session, and
// expects `ack` next: rendezvous fail, eager messages go on.
void partner_gave_up(Endpoint& ep, Partner& p, uint16_t count, uint16_t ack);

// Sets both streams up for a (new) session of the partner.
void partner_establish(Endpoint& ep, Partner& p, uint32_t session, uint16_t first);

// A nack about something sent to this partner.
void partner_refused(Endpoint& ep, Partner& p, unsigned reason);

// Somebody waits for this partner, or no more.
void partner_owes(Endpoint& ep, Partner& p, int change);
// A request to this partner ends at `when` at the latest.
void partner_deadline(Endpoint& ep, Partner& p, uint64_t when);
void partner_deadline_due(Endpoint& ep, Partner& p, uint64_t now);
void partner_probe_due(Endpoint& ep, Partner& p, uint64_t now);

// Reports a send that had completed and now failed.
void lose_send(Endpoint& ep, Send* send, mx_status_code_t code);

} // namespace myri
