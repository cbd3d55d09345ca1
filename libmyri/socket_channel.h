// SPDX-License-Identifier: BSD-3-Clause
// The socket of the emulator's driver service: frames out, answers in.
//
// Concepts: a thread that sleeps in MYRI_WAIT must not hold up the requests of others, so answers are sorted
// by what they answer: whoever waits for one reads the socket, and hands over what is not its own. Any thread
// may call.
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "libmyri/driver.h"

namespace myri {

class SocketChannel {
public:
    static constexpr unsigned descriptors_max = 4;

    struct Answer {
        bool outstanding = false; // asked and not yet answered
        bool here = false;
        int32_t status = 0;
        uint32_t length = 0;
        int descriptors[descriptors_max];
        unsigned descriptor_count = 0;
    };

    // The owner's moment follows the answers; its `attached` tells whether time is virtual.
    explicit SocketChannel(Driver& owner) : owner(owner) {}

    int fd = -1;

    // Sends a request and awaits its answer, which goes into `structure` too. `full`: the answer with its
    // descriptors, which are the caller's then; else they are closed. 0 or a negative errno.
    int call(uint32_t request, void* structure, size_t length, const int* fds, unsigned fd_count,
             Answer* full);
    // MYRI_WAKE: nobody waits for its answer.
    int wake(const void* structure, size_t length);
    // MYRI_WAIT, as Driver::wait.
    int wait(const myri_wait& wait, int wakeup_fd, bool background);
    // The endpoint is closed: its descriptors are not written to any more.
    void forget(const myri_endpoint_ref& endpoint);

private:
    // Those who wait for one endpoint share one MYRI_WAIT. An unanswered one was made for an earlier event,
    // so its answer is not later; asking once more each time would fill the socket with answers that nobody
    // reads.
    struct Waiters {
        bool asked = false;   // a request is unanswered
        uint32_t answers = 0; // so far
        int32_t status = 0;   // of the last one
        int wakeup_fd[2] = {-1,
                            -1}; // calls that block; the progress thread: somebody else may read the answer
    };

    static constexpr size_t endpoints_max = MYRI_BOARDS_MAX * 32;

    Driver& owner;
    pthread_mutex_t one_request =
        PTHREAD_MUTEX_INITIALIZER; // protects `reply`, `reply_body`: one plain request at a time
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects the fields below and sending
    pthread_cond_t news = PTHREAD_COND_INITIALIZER;
    bool reading = false; // some thread reads the socket
    bool broken = false;
    unsigned wakes_unanswered = 0;
    Answer reply;
    void* reply_body = nullptr;
    size_t reply_room = 0;
    Waiters waiters[endpoints_max];
    alignas(8) uint8_t incoming[MYRI_FRAME_MAX];

    int send_frame(uint32_t request, const void* structure, size_t length, const int* fds, unsigned fd_count);
    int await_reply();
    void take_turn_reading();
    int read_one();
    void wait_over(int status);
};

} // namespace myri
