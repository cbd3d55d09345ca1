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

void describe_memory_limit(char* text, size_t room) {
    rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        snprintf(text, room, "RLIMIT_MEMLOCK is unlimited: the machine is out of memory");
    else
        snprintf(text, room, "RLIMIT_MEMLOCK is %llu bytes (ulimit -l)",
                 static_cast<unsigned long long>(limit.rlim_cur));
}

} // namespace myri
