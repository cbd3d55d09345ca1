// SPDX-License-Identifier: BSD-3-Clause
// What a call does when there is nothing to do: in virtual time it parks, else it polls, yields, and at last
// sleeps.
//
// Concepts: a sleeping thread does not hold the endpoint's lock, so that others can use the endpoint;
// mx_wakeup and the closing of the endpoint wake it. `wake_after` tells the card how long an event may lie
// unread before it interrupts.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

// After a pass without news, with the lock: returns when there may be some, at `until` at the latest.
void sleep_for_news(Endpoint& ep, uint64_t until);

// The pause of calls that do not block: they look again after it. After 4 of them in a row virtual time
// passes.
void empty_poll(Endpoint& ep);

// Their calls end without a result. Without the lock.
void wake_sleepers(Endpoint& ep);

// Something has happened, in this thread's call, that another one may be waiting for: it looks again. With the lock.
void wake_others(Endpoint& ep);

// A call blocks: interrupt at once; else leave it to the progress thread's patience.
void sleep_set_wake_after(Endpoint& ep, bool blocking);

} // namespace myri
