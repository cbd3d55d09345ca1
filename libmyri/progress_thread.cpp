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

constexpr uint64_t first_nap = ps_per_ms, longest_nap = 100 * ps_per_ms;

void nap_until_stopped(int fd) {
    pollfd stop = {fd, POLLIN, 0};
    poll(&stop, 1, static_cast<int>(longest_nap / ps_per_ms));
}

void* run(void* argument) {
    Endpoint& ep = *static_cast<Endpoint*>(argument);
    uint64_t nap = first_nap;
    uint32_t posted = 0;
    pthread_mutex_lock(&ep.lock);
    while (!ep.thread_stop) {
        const uint32_t seen = ep.event_count;
        nap = ep.slots.posted() != posted ? first_nap : nap * 2 > longest_nap ? longest_nap : nap * 2;
        posted = ep.slots.posted();
        const uint64_t due = ep.timer_due(), now = seam.now();
        const uint64_t left = due <= now ? 0 : due - now < nap ? due - now : nap;
        myri_wait wait{ep.board, ep.id, seen, static_cast<uint32_t>(left / ps_per_us) + 1};
        pthread_mutex_unlock(&ep.lock);
        const int status = library.driver->wait(wait, ep.thread_fd, true);
        if (status == 0)
            usleep(1000); // the program may be about to look
        else if (status != -ETIMEDOUT && status != -EINTR)
            nap_until_stopped(ep.thread_fd); // a driver that fails must not make this spin
        pthread_mutex_lock(&ep.lock);
        if (ep.thread_stop)
            break;
        uint64_t count;
        if (read(ep.thread_fd, &count, sizeof count) < 0) {
            // EAGAIN: nobody has written
        }
        if (ep.event_count == seen || seam.now() >= ep.next_timer)
            ep.progress();
        if (ep.event_count != seen)
            nap = first_nap;
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
