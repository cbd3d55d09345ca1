// SPDX-License-Identifier: BSD-3-Clause
// Reading the event ring: an entry is new when its generation says so; its trailer arrives last.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

// nullptr when the card has written nothing new.
inline const fw_event* event_new(const Endpoint& ep) {
    const fw_event* event = ep.events + (ep.event_count & (ep.event_entries - 1));
    const be16 expected =
        cpu_to_be16(static_cast<uint16_t>(0x8000u | ((ep.event_count >> ep.event_shift) & 0x7fffu)));
    // Acquire: the rest of the entry is read after its trailer was seen.
    const uint16_t found = __atomic_load_n(&event->generation.raw, __ATOMIC_ACQUIRE);
    return found == expected.raw ? event : nullptr;
}

} // namespace myri
