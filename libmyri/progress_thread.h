// SPDX-License-Identifier: BSD-3-Clause
// The progress thread of an endpoint: lets peers connect and be acknowledged while the program is elsewhere.
//
// Concepts: real and free-running cards only. It sleeps in the driver until the card has written something,
// gives the program a millisecond to look at it, and then makes a pass itself. Timers that the program has
// armed it sees when it wakes: after 1 ms when there is traffic, up to 100 ms later when there has been none.
// MX_MONOTHREAD=1: no such thread.
#pragma once

namespace myri {

class Endpoint;

void progress_thread_start(Endpoint& ep); // with the endpoint's lock
void progress_thread_stop(Endpoint& ep);  // without it; returns when the thread has ended

} // namespace myri
