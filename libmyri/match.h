// SPDX-License-Identifier: BSD-3-Clause
// Matching: posted receives against arriving messages, oldest first on both sides.
//
// Concepts: a receive (match, mask) takes a message m if (m & mask) == match. A message takes the oldest
// posted receive that accepts it; a receive takes the oldest unexpected message that it accepts. Lists only;
// nothing is copied here.
#pragma once

#include <stdint.h>

#include "libmyri/request.h"

namespace myri {

class Matcher {
public:
    void post(Receive* receive) { posted.push_back(receive); }
    void withdraw(Receive* receive) { posted.remove(receive); }
    // Takes the receive out of the list. nullptr if none accepts `match`.
    Receive* take_receive(uint64_t match);

    void queue(Arrival* arrival) { unexpected.push_back(arrival); }
    void remove(Arrival* arrival) { unexpected.remove(arrival); }
    // The oldest unexpected message that (match, mask) accepts; stays in the list.
    Arrival* find_arrival(uint64_t match, uint64_t mask) const;
    bool would_match(uint64_t match) const;

    Receive* first_posted() const { return posted.front(); }
    Arrival* first_unexpected() const { return unexpected.front(); }
    static Arrival* next(const Arrival* a) { return a->link.next; }

private:
    List<Receive, &Receive::link> posted;
    List<Arrival, &Arrival::link> unexpected;
};

} // namespace myri
