// SPDX-License-Identifier: BSD-3-Clause
// What the library thought of each event, written to a file: for tests that follow injected faults to their end.
//
// One line an event, by one write each: host, endpoint, session (hexadecimal), number of the event, verdict.
//   accepted   it counted, or it said nothing new            mismatch     the checksum of the packet
//   duplicate  it was here already                           bad-block    the checksum of a block
//   rejected   impossible content, or no room                unwanted     of nobody, or of a pull that is over
//   hint       a refusal by a card, never believed at once   other        no packet and no block
#pragma once

#include "libmyri/endpoint.h"
#include "libmyri/environment.h"

namespace myri {

// Appends to `path` from now on; empty: does nothing. Warns through `hook` if it cannot be opened.
void verdicts_open(const char* path, const char* host, WarningHook hook);
extern int verdicts_file; // -1: nobody wants them
inline bool verdicts_wanted() { return __builtin_expect(verdicts_file >= 0, 0); }

// After an event was taken; `before` are the endpoint's counters from before that.
void verdict_tell(const Endpoint& ep, const fw_event& event, const Counters& before);

} // namespace myri
