// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/socket_channel.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

namespace myri {

int SocketChannel::send_frame(uint32_t request, const void* structure, size_t length, const int* fds,
                              unsigned fd_count) {
    myri_frame frame{};
    frame.request = request;
    frame.length = static_cast<uint32_t>(length);
    frame.now = owner.moment.now;
    iovec parts[2] = {{&frame, sizeof frame}, {const_cast<void*>(structure), length}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * descriptors_max)];
    if (fd_count) {
        memset(control, 0, sizeof control);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
        cmsghdr* c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
        memcpy(CMSG_DATA(c), fds, sizeof(int) * fd_count);
    }
    while (sendmsg(fd, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return errno == EPIPE || errno == ECONNRESET ? -ENODEV : -errno;
    return 0;
}

// Called without the lock, by the one thread that set `reading`.
int SocketChannel::read_one() {
    myri_frame frame;
    iovec parts[2] = {{&frame, sizeof frame}, {incoming, sizeof incoming}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * descriptors_max)];
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t n;
    while ((n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC)) < 0)
        if (errno != EINTR)
            return -errno;
    if (n == 0)
        return -ENODEV;
    int fds[descriptors_max];
    unsigned count = 0;
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len && count < descriptors_max;
                 at += sizeof(int))
                memcpy(&fds[count++], CMSG_DATA(c) + at, sizeof(int));

    pthread_mutex_lock(&lock);
    if (frame.request == MYRI_WAKE && wakes_unanswered) {
        --wakes_unanswered;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    Answer* answer = nullptr;
    if (static_cast<size_t>(n) == sizeof frame + frame.length) {
        if (frame.request == MYRI_WAIT && frame.length >= 8) {
            wait_over(frame.status);
            pthread_mutex_unlock(&lock);
            return 0;
        }
        if (frame.request != MYRI_WAIT)
            answer = &reply;
    }
    if (!answer || !answer->outstanding) {
        for (unsigned i = 0; i < count; ++i)
            ::close(fds[i]);
        pthread_mutex_unlock(&lock);
        return -EBADMSG;
    }
    if (owner.attached.time == MYRI_TIME_VIRTUAL || frame.safe_until) {
        owner.moment.now = frame.now;
        owner.moment.safe_until = frame.safe_until;
    }
    answer->status = frame.status;
    answer->length = frame.length;
    answer->descriptor_count = count;
    memcpy(answer->descriptors, fds, sizeof fds);
    if (answer == &reply && reply_body)
        memcpy(reply_body, incoming, frame.length < reply_room ? frame.length : reply_room);
    answer->here = true;
    pthread_mutex_unlock(&lock);
    return 0;
}

void SocketChannel::wait_over(int status) {
    uint32_t where[2]; // board, endpoint
    memcpy(where, incoming, sizeof where);
    if (where[0] >= MYRI_BOARDS_MAX || where[1] >= 32)
        return;
    Waiters& w = waiters[where[0] * 32 + where[1]];
    w.asked = false;
    w.status = status;
    ++w.answers;
    for (const int wakeup : w.wakeup_fd) {
        const uint64_t one = 1;
        if (wakeup >= 0 && write(wakeup, &one, sizeof one) < 0) {
            // EAGAIN: it is readable already
        }
    }
}

// Reads one answer for whoever it is. With the lock held, and nobody else reading.
void SocketChannel::take_turn_reading() {
    reading = true;
    pthread_mutex_unlock(&lock);
    const int status = read_one();
    pthread_mutex_lock(&lock);
    reading = false;
    broken |= status < 0;
    pthread_cond_broadcast(&news);
}

// With the lock held.
int SocketChannel::await_reply() {
    while (!reply.here) {
        if (broken)
            return -ENODEV;
        if (reading)
            pthread_cond_wait(&news, &lock);
        else
            take_turn_reading();
    }
    reply.here = false;
    return 0;
}

int SocketChannel::call(uint32_t request, void* structure, size_t length, const int* fds, unsigned fd_count,
                        Answer* full) {
    if (sizeof(myri_frame) + length > MYRI_FRAME_MAX)
        return -EBADMSG;
    pthread_mutex_lock(&one_request);
    pthread_mutex_lock(&lock);
    reply_body = structure;
    reply_room = length;
    reply.here = false;
    reply.outstanding = true;
    int status = broken ? -ENODEV : send_frame(request, structure, length, fds, fd_count);
    if (status == 0)
        status = await_reply();
    reply_body = nullptr;
    reply.outstanding = false;
    if (status == 0) {
        status = reply.status;
        if (full)
            *full = reply;
        else
            for (unsigned i = 0; i < reply.descriptor_count; ++i)
                ::close(reply.descriptors[i]);
    }
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&one_request);
    return status;
}

// Nobody waits for the answer to a wake: reading the request has woken the card. Answers must be read some
// time, though, or the socket fills up.
int SocketChannel::wake(const void* structure, size_t length) {
    pthread_mutex_lock(&lock);
    int status = broken ? -ENODEV : send_frame(MYRI_WAKE, structure, length, nullptr, 0);
    if (status == 0)
        ++wakes_unanswered;
    while (wakes_unanswered > 8 && !reading && !broken)
        take_turn_reading();
    pthread_mutex_unlock(&lock);
    return status;
}

int SocketChannel::wait(const myri_wait& wait, int wakeup_fd, bool background) {
    if (wait.board >= MYRI_BOARDS_MAX || wait.endpoint >= 32)
        return -EINVAL;
    pthread_mutex_lock(&lock);
    Waiters& w = waiters[wait.board * 32 + wait.endpoint];
    w.wakeup_fd[background] = wakeup_fd;
    const uint32_t before = w.answers;
    int status = broken ? -ENODEV : 0;
    if (status == 0 && !w.asked) {
        status = send_frame(MYRI_WAIT, &wait, sizeof wait, nullptr, 0);
        w.asked = status == 0;
    }
    while (status == 0 && w.answers == before) {
        pthread_mutex_unlock(&lock);
        pollfd fds[2] = {{fd, POLLIN, 0}, {wakeup_fd, POLLIN, 0}};
        const int ready = poll(fds, 2, static_cast<int>(wait.timeout_us / 1000 + 1));
        if (ready > 0 && !fds[1].revents)
            sched_yield(); // if another thread reads it, let it
        pthread_mutex_lock(&lock);
        if (w.answers != before)
            break;
        if (ready <= 0 || fds[1].revents)
            status = ready == 0 ? -ETIMEDOUT : -EINTR; // the request stays unanswered for now
        else if (!reading)
            take_turn_reading();
        if (broken)
            status = -ENODEV;
    }
    if (status == 0)
        status = w.status;
    if (background)
        w.wakeup_fd[1] = -1; // calls that block have theirs until the endpoint is closed
    pthread_mutex_unlock(&lock);
    return status;
}

void SocketChannel::forget(const myri_endpoint_ref& endpoint) {
    pthread_mutex_lock(&lock);
    for (int& wakeup : waiters[endpoint.board % MYRI_BOARDS_MAX * 32 + endpoint.endpoint % 32].wakeup_fd)
        wakeup = -1;
    pthread_mutex_unlock(&lock);
}

} // namespace myri
