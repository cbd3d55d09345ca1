// SPDX-License-Identifier: BSD-3-Clause
// The progress thread: lets peers connect and be acknowledged while the program is elsewhere.
//
// Concepts: one thread per process, real and free-running cards only. It makes a pass over the open endpoints each time
// the card has something unread for a while, or a timer is due. MX_MONOTHREAD=1 leaves it out.
#pragma once

namespace myri {

void progress_thread_start(); // with the library's lock; does nothing if it runs or must not
void progress_thread_stop();  // likewise
void progress_thread_forked();

} // namespace myri
