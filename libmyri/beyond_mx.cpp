// SPDX-License-Identifier: BSD-3-Clause
// What is in myri.h, and the one internal symbol of MX that programs call.
#include "myri.h"

#include <errno.h>
#include <time.h>

#include "libmyri/call.h"
#include "libmyri/clock.h"
#include "libmyri/endpoint.h"
#include "libmyri/environment.h"
#include "libmyri/library.h"

using namespace myri;

extern "C" {

uint64_t myri_time(void) {
    return seam.now();
}

int myri_time_is_virtual(void) {
    return seam.is_virtual();
}

int myri_sleep(uint64_t picoseconds) {
    if (!library.ready)
        return -ENOTCONN;
    if (!seam.is_virtual()) {
        const uint64_t ns = (picoseconds + 999) / 1000;
        timespec left{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
        while (nanosleep(&left, &left) < 0 && errno == EINTR) {
        }
        return 0;
    }
    mx_return_t wrong;
    if (wrong_thread("myri_sleep", wrong))
        return -EBUSY;
    // Nobody else makes progress for this process, so peers must not wait for it while it sleeps.
    const uint64_t until = seam.now() + picoseconds;
    while (seam.now() < until) {
        bool any = false;
        uint64_t due = until;
        for (Endpoint* e : library.endpoints) {
            if (!e || e->magic != endpoint_magic)
                continue;
            pthread_mutex_lock(&e->lock);
            if (e->magic == endpoint_magic) {
                any |= e->progress();
                const uint64_t timer = e->timer_due();
                due = timer < due ? timer : due;
            }
            pthread_mutex_unlock(&e->lock);
        }
        if (!any)
            seam.park(due);
    }
    return 0;
}

void myri_spend(uint64_t picoseconds) {
    seam.spend(picoseconds);
}

int myri_driver_request(uint32_t board, uint32_t request, void* structure, size_t length) {
    switch (request) {
    case MYRI_BOARD_INFO:
    case MYRI_PEERS:
    case MYRI_COUNTERS:
    case MYRI_SET_PEERS:
    case MYRI_DMABENCH:
        break;
    default:
        return -EINVAL;
    }
    if (!structure || length < sizeof board)
        return -EINVAL;
    if (!library.ready)
        return -ENOTCONN;
    mx_return_t wrong;
    if (wrong_thread("myri_driver_request", wrong))
        return -EBUSY;
    *static_cast<uint32_t*>(structure) = board; // the first field of each of them
    return seam.request(request, structure, length);
}

int myri_environment(unsigned index, struct myri_variable* variable) {
    const VariableRow* row = environment_row(index);
    if (!row || !variable)
        return -1;
    *variable = myri_variable{row->name, row->type, row->default_value, row->help};
    return 0;
}

// Called by programs that watch free() and munmap(): what was registered there is no longer.
int mx__regcache_clean(void* address, size_t length);
int mx__regcache_clean(void* address, size_t length) {
    if (!library.ready || second_thread())
        return 0;
    for (Endpoint* e : library.endpoints) {
        if (!e || e->magic != endpoint_magic)
            continue;
        pthread_mutex_lock(&e->lock);
        if (e->magic == endpoint_magic)
            e->registrations.forget(address, length);
        pthread_mutex_unlock(&e->lock);
    }
    return 0;
}

} // extern "C"
