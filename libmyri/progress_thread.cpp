// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/progress_thread.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "libmyri/clock.h"
#include "libmyri/endpoint.h"
#include "libmyri/library.h"

namespace myri {

namespace {
bool running = false;
pthread_t thread;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects `stop`
pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
bool stop = false;

constexpr long period_ns = 1000000; // as long as an event may lie unread

void* run(void*) {
    pthread_mutex_lock(&lock);
    while (!stop) {
        timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += period_ns;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            ++until.tv_sec;
        }
        pthread_cond_timedwait(&wake, &lock, &until);
        pthread_mutex_unlock(&lock);
        for (Endpoint* e : library.endpoints) {
            // An endpoint that somebody uses makes its own progress.
            if (!e || e->magic != endpoint_magic || pthread_mutex_trylock(&e->lock) != 0)
                continue;
            if (e->magic == endpoint_magic)
                e->progress();
            pthread_mutex_unlock(&e->lock);
        }
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return nullptr;
}
} // namespace

void progress_thread_start() {
    if (running || seam.is_virtual() || library.options.monothread)
        return;
    stop = false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are the program's business
    running = pthread_create(&thread, nullptr, run, nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void progress_thread_stop() {
    if (!running)
        return;
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, nullptr);
    running = false;
}

void progress_thread_forked() {
    running = false;
    pthread_mutex_init(&lock, nullptr);
    pthread_cond_init(&wake, nullptr);
}

} // namespace myri
