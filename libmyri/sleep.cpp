// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/sleep.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "libmyri/event_ring.h"
#include "libmyri/library.h"

namespace myri {

namespace {

constexpr unsigned polls_before_yield = 64;
constexpr unsigned polls_before_sleep = 256;
constexpr unsigned polls_before_park = 4;
constexpr uint64_t park_limit = ps_per_ms;
constexpr unsigned refused_nap_us = 1000;

// How long an event may lie unread before the card interrupts.
constexpr uint32_t patience_us = 1000; // the progress thread's
// Without one nobody is woken. But a card that was told "never" as it wrote an event would not interrupt for it when a
// call goes to sleep just after that.
constexpr uint32_t no_thread_us = 10 * 1000;

// In virtual time nobody else makes progress for the process's other endpoints.
bool progress_others(Endpoint& ep) {
    bool any = false;
    for (Endpoint* other : library.endpoints) {
        if (!other || other == &ep || other->magic != endpoint_magic)
            continue;
        pthread_mutex_lock(&other->lock);
        if (other->magic == endpoint_magic)
            any |= other->progress();
        pthread_mutex_unlock(&other->lock);
    }
    return any;
}

uint64_t earliest_timer(Endpoint& ep) {
    uint64_t due = ep.timer_due();
    for (Endpoint* other : library.endpoints) {
        if (!other || other == &ep || other->magic != endpoint_magic)
            continue;
        const uint64_t theirs = other->timer_due();
        due = theirs < due ? theirs : due;
    }
    return due;
}

void park(Endpoint& ep, uint64_t until) {
    if (progress_others(ep))
        return;
    const uint64_t due = earliest_timer(ep);
    seam.park(due < until ? due : until);
}

// An emulated one. With a real one polling is without system calls.
bool card_needs_processor() {
    return library.driver->attached.time != MYRI_TIME_REAL;
}

void make_readable(int fd) {
    const uint64_t one = 1;
    if (fd >= 0 && write(fd, &one, sizeof one) < 0) {
        // EAGAIN: the counter is full, so it is readable already
    }
}

// One descriptor wakes all sleepers and stays readable until the last of them has left: whoever would sleep again
// before that would find it readable at once, and two threads could keep each other from sleep for ever.
void leave_bed(Endpoint& ep, bool timed_out) {
    --ep.sleepers;
    if (ep.sleepers) {
        if (!timed_out)
            wake_others(ep);
        return;
    }
    ep.waking = false;
    uint64_t count;
    while (ep.wakeup_fd >= 0 && read(ep.wakeup_fd, &count, sizeof count) > 0) {
    }
}

void sleep_in_driver(Endpoint& ep, uint64_t until) {
    if (ep.waking) {
        pthread_mutex_unlock(&ep.lock);
        usleep(20);
        pthread_mutex_lock(&ep.lock);
        return;
    }
    uint64_t due = ep.timer_due();
    if (until < due)
        due = until;
    const uint64_t now = seam.now();
    if (due <= now)
        return;
    const uint64_t us = (due - now + ps_per_us - 1) / ps_per_us;
    // An emulated card's driver looks at the ring itself: no interrupt has to be asked for.
    const bool interrupts = library.driver->attached.time == MYRI_TIME_REAL;
    ep.publish_consumed(interrupts);
    if (interrupts)
        sleep_set_wake_after(ep, true);
    myri_wait wait{ep.board, ep.id, ep.event_count,
                   due == never || us > 10000000 ? 10000000u : static_cast<uint32_t>(us)};
    const int wakeup_fd = ep.wakeup_fd;
    ++ep.sleepers;
    pthread_mutex_unlock(&ep.lock);
    const int status = library.driver->wait(wait, wakeup_fd, false);
    const bool refused = status < 0 && status != -ETIMEDOUT && status != -EINTR;
    if (refused) // the card is dead or the fabric gone: what waits for it ends by its time limits, without spinning
        usleep(us < refused_nap_us ? static_cast<useconds_t>(us) : refused_nap_us);
    pthread_mutex_lock(&ep.lock);
    leave_bed(ep, status == -ETIMEDOUT || refused);
    if (interrupts && ep.sleepers == 0 && ep.magic == endpoint_magic)
        sleep_set_wake_after(ep, false);
}

} // namespace

void sleep_for_news(Endpoint& ep, uint64_t until) {
    if (seam.is_virtual()) {
        seam.spend(seam.costs().poll);
        park(ep, until);
        return;
    }
    if (++ep.empty_polls < polls_before_yield)
        return;
    if (ep.empty_polls < polls_before_sleep) {
        if (card_needs_processor()) {
            pthread_mutex_unlock(&ep.lock);
            sched_yield();
            pthread_mutex_lock(&ep.lock);
        }
        return;
    }
    sleep_in_driver(ep, until);
}

void empty_poll(Endpoint& ep) {
    ++ep.empty_polls;
    if (!seam.is_virtual()) {
        if (ep.empty_polls >= polls_before_yield && card_needs_processor())
            sched_yield();
        return;
    }
    seam.spend(seam.costs().poll);
    if (ep.empty_polls >= polls_before_park)
        park(ep, seam.now() + park_limit);
}

void wake_sleepers(Endpoint& ep) {
    __atomic_add_fetch(&ep.wakeups, 1, __ATOMIC_RELEASE);
    make_readable(ep.wakeup_fd);
}

void wake_others(Endpoint& ep) {
    if (ep.sleepers == 0 || ep.waking)
        return;
    ep.waking = true;
    make_readable(ep.wakeup_fd);
}

void sleep_set_wake_after(Endpoint& ep, bool blocking) {
    const uint32_t us = seam.is_virtual()            ? FW_WAKE_NEVER
                        : blocking                   ? 0u
                        : library.options.monothread ? no_thread_us
                                                     : patience_us;
    struct {
        alignas(8) be32 wake_after;
        be32 reserved;
    } value{cpu_to_be32(us), cpu_to_be32(0)};
    ep.window.store(offsetof(fw_endpoint_window, wake_after_us), &value, sizeof value);
    ep.window.flush_without_hurry();
}

} // namespace myri
