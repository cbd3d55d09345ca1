// SPDX-License-Identifier: BSD-3-Clause
// A message on its way in: where its bytes go, its turn in the order of matching, its end.
//
// Concepts: an arrival is held by the partner's stream until it is complete and everything before it is too;
// by the unexpected queue until a receive takes it; by its receive until that completes. It is freed when
// nobody holds it.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

// Puts a new arrival into the partner's stream. nullptr when memory is short.
Arrival* arrival_new(Endpoint& ep, Partner& p, const msg_header& h);

// Whether an eager message may be taken: always when a receive waits for it, else while there is room.
bool arrival_has_room(Endpoint& ep, Partner& p, uint32_t length, bool expected, bool in_turn);
void arrival_charge(Endpoint& ep, Arrival* a);

// Nobody wants it yet.
void arrival_queue(Endpoint& ep, Arrival* a);

// Its turn has come: matches it, or queues it as unexpected. `data`: the whole message, if at hand. False if
// the arrival is no more.
bool arrival_turn(Endpoint& ep, Arrival* a, const void* data);
// Its turn comes when it is complete: the unexpected handler is shown the data of short messages.
bool arrival_waits(const Endpoint& ep, const Arrival* a);

// Has all messages whose turn it is matched, and acknowledges what is complete.
void arrivals_advance(Endpoint& ep, Partner& p);

// Makes sure that data has somewhere to go. False when memory is short.
bool arrival_destination(Endpoint& ep, Arrival* a);
// Undoes arrival_new of a message that could not be stored: it will come again.
void arrival_withdraw(Endpoint& ep, Partner& p, Arrival* a);

void arrival_store(Arrival* a, uint32_t offset, const void* data, uint32_t bytes);
uint32_t arrival_store_crc(Arrival* a, uint32_t offset, const void* data, uint32_t bytes, uint32_t crc);

// All bytes of a message in fragments are here.
void arrival_complete(Endpoint& ep, Partner& p, Arrival* a);

// Connects an arrival that has had its turn with a receive.
void arrival_attach(Endpoint& ep, Arrival* a, Receive* r);

} // namespace myri
