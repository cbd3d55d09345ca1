// SPDX-License-Identifier: BSD-3-Clause
// The two ways of asking whether something has happened: once, and until it has.
//
// Concepts: both make progress first. A blocked wait ends early when the endpoint is woken up (mx_wakeup) or
// closed, or its card is dead. Timeouts are milliseconds; 0 is for ever.
#pragma once

#include "libmyri/endpoint.h"
#include "libmyri/sleep.h"

namespace myri {

template <class Done> bool test_once(Endpoint& ep, Done done) {
    const bool news = ep.progress();
    if (done()) {
        ep.empty_polls = 0;
        return true;
    }
    if (news || ep.in_handler || ep.progression_disabled)
        return false;
    empty_poll(ep);
    ep.progress();
    return done();
}

inline uint64_t deadline_after(uint32_t timeout_ms) {
    return timeout_ms == MX_INFINITE ? never : seam.now() + timeout_ms * ps_per_ms;
}

template <class Done> bool wait_until(Endpoint& ep, uint32_t timeout_ms, Done done) {
    const uint64_t until = deadline_after(timeout_ms);
    const uint32_t wakeups = __atomic_load_n(&ep.wakeups, __ATOMIC_ACQUIRE);
    ep.empty_polls = 0;
    const uint8_t generation = ep.generation;
    // While it slept without the lock the endpoint may have been closed (and another one opened in its place), and with
    // it everything `done` looks at.
    while (ep.magic == endpoint_magic && ep.generation == generation) {
        const bool news = ep.progress();
        if (done())
            return true;
        if (ep.dead || __atomic_load_n(&ep.wakeups, __ATOMIC_ACQUIRE) != wakeups)
            return false;
        if (until != never && seam.now() >= until)
            return false;
        if (!news)
            sleep_for_news(ep, until);
    }
    return false;
}

// For something that is not one request's end.
template <class Done> bool watch_until(Endpoint& ep, uint32_t timeout_ms, Done done) {
    const uint8_t generation = ep.generation;
    ++ep.watchers;
    const bool hit = wait_until(ep, timeout_ms, done);
    if (ep.generation == generation)
        --ep.watchers;
    return hit;
}

} // namespace myri
