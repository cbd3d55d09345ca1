// SPDX-License-Identifier: BSD-3-Clause
// What becomes of an endpoint when its card fails: the driver has written into the host page that the card was
// restarted, or is dead.
//
// Concepts
//  restarted  the card knows nothing of what stood in its SRAM and in the event ring. Rings, session and registrations
//             are the same. What was under way counts as lost by the network: it is sent and fetched again.
//  dead       every request ends (ABORTED); calls answer MX_NIC_DEAD unless they report such an end.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

// The host page has news. In a pass of progress, when no event is left. True: something has happened.
bool resume_or_die(Endpoint& ep);

// Why a card is dead, by an errno; never nullptr.
const char* dead_reason(uint32_t error);
// As people know it: "host:0".
const char* card_name(uint32_t board);

} // namespace myri
