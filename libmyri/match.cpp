// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/match.h"

namespace myri {

Receive* Matcher::take_receive(uint64_t match) {
    for (Receive* r = posted.front(); r; r = r->link.next)
        if ((match & r->mask) == r->match) {
            posted.remove(r);
            return r;
        }
    return nullptr;
}

bool Matcher::would_match(uint64_t match) const {
    for (const Receive* r = posted.front(); r; r = r->link.next)
        if ((match & r->mask) == r->match)
            return true;
    return false;
}

Arrival* Matcher::find_arrival(uint64_t match, uint64_t mask) const {
    for (Arrival* a = unexpected.front(); a; a = a->link.next)
        if ((a->match & mask) == match)
            return a;
    return nullptr;
}

} // namespace myri
