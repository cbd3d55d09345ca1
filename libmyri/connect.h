// SPDX-License-Identifier: BSD-3-Clause
// Connecting: telling each other sessions and sequence numbers.
//
// Concepts
//  CONNECT   carries the own session, the key that the other side asks for, and the first sequence number
//  that may come.
//            It is answered from inside the library of the other side, and repeated until answered.
//  REPLY     echoes the number of the connect and carries the same about the other side. Repeats do no harm:
//  sequence
//            numbers named are those of the oldest unacknowledged message.
//  refusal   the card of the other side says that the endpoint is closed; believed the third time.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

// peer, peer_endpoint, key, match and deadline are filled in.
void connect_start(Endpoint& ep, Connect* connect);
void connect_end(Endpoint& ep, Connect* connect, mx_status_code_t code);
void connect_packet(Endpoint& ep, uint16_t peer, uint8_t endpoint, const msg_header& h, const uint8_t* data,
                    uint32_t bytes);
void connect_refused(Endpoint& ep, uint16_t peer, uint8_t endpoint, unsigned reason);
// Resends and gives up; returns the next time that matters.
// The card has forgotten what was asked: asks again.
void connect_again(Endpoint& ep);
uint64_t connect_timers(Endpoint& ep, uint64_t now);

} // namespace myri
