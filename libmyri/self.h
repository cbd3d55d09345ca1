// SPDX-License-Identifier: BSD-3-Clause
// Messages from an endpoint to itself: matched and copied without the card.
//
// Concepts: an isend of up to MSG_MEDIUM_MAX bytes that nobody waits for is buffered and completes; longer
// ones and every issend complete when they are matched.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

void self_send(Endpoint& ep, Send* send, bool synchronous);
// Gives those their turn that had to wait for a handler. True if there were any.
bool self_progress(Endpoint& ep);
// An unmatched message to the own endpoint has found its receive.
void self_deliver(Endpoint& ep, Arrival* arrival, Receive* receive);

} // namespace myri
