// SPDX-License-Identifier: BSD-3-Clause
// The way in: events to packets, packets to messages, messages to receives.
//
// Concepts
//  check     before its checksum agrees a packet matches nothing, marks nothing and acknowledges nothing; it
//  may at most
//            write into bytes that its message still misses.
//  order     messages of a partner are matched in the order of their sequence numbers, whatever their class;
//            what speaks of a rendezvous has nothing to match and is acted upon at once;
//  what comes
//            early is held. Data may end in another order.
//  room      unexpected data beyond the endpoint's limit is not taken: the sender comes again. A message with
//  a posted
//            receive is always taken.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

void incoming_packet(Endpoint& ep, const fw_event& event);

// A new receive: takes an unexpected message if one fits, else is posted.
void incoming_receive(Endpoint& ep, Receive* receive);

// Takes a message out of the unexpected queue for good.
void incoming_take(Endpoint& ep, Arrival* arrival);

// Messages up to `first` will never come.
void incoming_skip(Endpoint& ep, Partner& p, uint16_t first);

// The partner is gone: matched receives end with `code`, its unexpected messages are dropped.
void incoming_fail(Endpoint& ep, Partner& p, mx_status_code_t code);

// Rendezvous from the partner lead nowhere any more: receives end with `code`, unexpected ones are dropped.
void incoming_fail_rendezvous(Endpoint& ep, Partner& p, mx_status_code_t code);

// Asks the unexpected handler, if there is one; true if it has dealt with the message. `data` may be nullptr.
bool incoming_handler(Endpoint& ep, Arrival* arrival, const void* data);

// The receive of a message gets its final status.
void incoming_finish(Endpoint& ep, Receive* receive, const Partner& from, uint64_t match, uint32_t length);

void arrival_free(Endpoint& ep, Arrival* arrival);

// Room has been made: partners that were pushed back may send again.
void incoming_room_made(Endpoint& ep);

} // namespace myri
