// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/memory_limit.h"

#include <stdio.h>
#include <sys/resource.h>

#include "libmyri/endpoint.h"
#include "libmyri/library.h"

namespace myri {

bool relieve_memory_limit() {
    bool any = false;
    for (Endpoint* e : library.endpoints) {
        if (!e || pthread_mutex_trylock(&e->lock) != 0)
            continue; // the caller's own, too
        if (e->magic == endpoint_magic)
            any |= e->registrations.give_back();
        pthread_mutex_unlock(&e->lock);
    }
    return any;
}

uint64_t memory_limit() {
    rlimit limit;
    return getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ? ~UINT64_C(0) : limit.rlim_cur;
}

uint32_t window_bytes_under(uint64_t limit) {
    constexpr uint64_t least = 8 * WIRE_BLOCK_SIZE;
    const uint64_t share = limit / 4;
    if (share >= FW_WINDOW_MAX)
        return FW_WINDOW_MAX;
    return static_cast<uint32_t>((share < least ? least : share) & ~static_cast<uint64_t>(WIRE_BLOCK_SIZE - 1));
}

void describe_memory_limit(char* text, size_t room) {
    const uint64_t limit = memory_limit();
    if (limit == ~UINT64_C(0))
        snprintf(text, room, "RLIMIT_MEMLOCK is unlimited: the machine is out of memory");
    else
        snprintf(text, room, "RLIMIT_MEMLOCK is %llu bytes (ulimit -l)",
                 static_cast<unsigned long long>(limit));
}

} // namespace myri
