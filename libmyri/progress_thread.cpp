// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/progress_thread.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libmyri/clock.h"
#include "libmyri/endpoint.h"
#include "libmyri/event_ring.h"
#include "libmyri/library.h"

namespace myri {

namespace {

// While the program is about; the longest when nothing happens.
constexpr uint64_t short_nap = 10 * ps_per_ms, longest_nap = 100 * ps_per_ms;

void pause(const Endpoint& ep, uint64_t time) {
    pollfd stop = {ep.thread_fd, POLLIN, 0};
    poll(&stop, 1, static_cast<int>(time / ps_per_ms));
}

void drain(int fd) {
    uint64_t count;
    if (read(fd, &count, sizeof count) < 0) {
        // EAGAIN: nobody has written
    }
}

// Takes the endpoint's lock without a queue: a program that polls would have to let this thread in at each look, by a
// system call. False if the program was inside meanwhile: it makes progress itself.
bool enter(Endpoint& ep) {
    if (pthread_mutex_trylock(&ep.lock) == 0)
        return true;
    do
        pause(ep, short_nap);
    while (pthread_mutex_trylock(&ep.lock) != 0);
    return false;
}

uint64_t time_left(uint64_t due, uint64_t most) {
    const uint64_t now = seam.now();
    return due <= now ? 0 : due - now < most ? due - now : most;
}

void* run(void* argument) {
    Endpoint& ep = *static_cast<Endpoint*>(argument);
    uint64_t nap = short_nap;
    bool alone = enter(ep);
    while (!ep.thread_stop && !ep.dead) {
        // A program that is about serves its own timers.
        const uint64_t left = alone ? time_left(ep.timer_due(), nap) : short_nap;
        const uint32_t seen = ep.event_count, posted = ep.slots.posted();
        pthread_mutex_unlock(&ep.lock);
        const int status =
            library.driver->wait({ep.board, ep.id, seen, static_cast<uint32_t>(left / ps_per_us) + 1}, ep.thread_fd, true);
        if (status != -ETIMEDOUT)
            drain(ep.thread_fd);
        if (status == 0)
            pause(ep, alone ? ps_per_ms : short_nap); // the program may be about to look
        else if (status != -ETIMEDOUT && status != -EINTR)
            pause(ep, longest_nap); // a driver that fails must not make this spin
        alone = enter(ep);
        if (ep.thread_stop)
            break;
        alone &= ep.event_count == seen && ep.slots.posted() == posted;
        if (alone || seam.now() >= ep.next_timer)
            ep.progress();
        const bool quiet = ep.event_count == seen && ep.slots.posted() == posted;
        nap = !quiet ? short_nap : nap * 2 < longest_nap ? nap * 2 : longest_nap;
    }
    pthread_mutex_unlock(&ep.lock);
    return nullptr;
}

} // namespace

void progress_thread_start(Endpoint& ep) {
    if (seam.is_virtual() || library.options.monothread)
        return;
    ep.thread_stop = false;
    ep.thread_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ep.thread_fd < 0)
        return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are the program's business
    ep.thread_running = pthread_create(&ep.thread, nullptr, run, &ep) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void progress_thread_stop(Endpoint& ep) {
    if (ep.thread_running) {
        pthread_mutex_lock(&ep.lock);
        ep.thread_stop = true;
        const uint64_t one = 1;
        if (write(ep.thread_fd, &one, sizeof one) < 0) {
            // EAGAIN: it is readable already
        }
        pthread_mutex_unlock(&ep.lock);
        pthread_join(ep.thread, nullptr);
        ep.thread_running = false;
    }
    if (ep.thread_fd >= 0)
        close(ep.thread_fd);
    ep.thread_fd = -1;
}

} // namespace myri
