// SPDX-License-Identifier: BSD-3-Clause
// The progress thread of an endpoint: lets peers connect and be acknowledged while the program is elsewhere.
//
// Concepts: real and free-running cards only. It sleeps in the driver until the card has written something, gives the
// program a millisecond to look at it, and then makes a pass itself. While the program is about it keeps out of its way:
// it looks once in 10 ms, and never waits for the endpoint's lock. So timers that the program leaves behind are served up
// to 10 ms late; then exactly, or up to 100 ms late where the program has armed them since in a call of its own.
// MX_MONOTHREAD=1: no such thread.
#pragma once

namespace myri {

class Endpoint;

void progress_thread_start(Endpoint& ep); // with the endpoint's lock
void progress_thread_stop(Endpoint& ep);  // without it; returns when the thread has ended

} // namespace myri
