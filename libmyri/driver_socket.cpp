// SPDX-License-Identifier: BSD-3-Clause
// The emulator's driver service: requests over a SOCK_SEQPACKET socket, memory by descriptors.
//
// A thread that sleeps in MYRI_WAIT must not hold up the requests of others, so answers are sorted by what
// they answer: whoever waits for one reads the socket, and hands over what is not its own.
#include "libmyri/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <new>

namespace myri {

namespace {

constexpr unsigned descriptors_max = 4;
constexpr size_t endpoints_max = MYRI_BOARDS_MAX * 32;

struct Answer {
    bool outstanding = false; // asked and not yet answered
    bool here = false;
    int32_t status = 0;
    uint32_t length = 0;
    int descriptors[descriptors_max];
    unsigned descriptor_count = 0;
};

// Those who wait for one endpoint share one MYRI_WAIT. An unanswered one was made for an earlier event, so
// its answer is not later; asking once more each time would fill the socket with answers that nobody reads.
struct Waiters {
    bool asked = false;          // a request is unanswered
    uint32_t answers = 0;        // so far
    int32_t status = 0;          // of the last one
    int wakeup_fd[2] = {-1, -1}; // calls that block; the progress thread: somebody else may read the answer
};

void* map_descriptor(int fd, size_t bytes, off_t offset) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    if (p == MAP_FAILED)
        return nullptr;
    madvise(p, bytes, MADV_DONTFORK); // a child must not find the parent's rings
    return p;
}

class SocketDriver final : public Driver {
public:
    int fd = -1;

    int request(uint32_t request, void* structure, size_t length) override {
        if (request == MYRI_WAKE)
            return wake(structure, length);
        return call(request, structure, length, nullptr, 0, nullptr);
    }

    int attach(const char* host, AttachFailure& failure);
    int open(myri_endpoint_open& open, EndpointMemory& memory) override;
    void close(const myri_endpoint_ref& endpoint, EndpointMemory& memory) override;
    int wait(const myri_wait& wait, int wakeup_fd, bool background) override;
    void shut(bool forked) override;

private:
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

    int call(uint32_t request, void* structure, size_t length, const int* fds, unsigned fd_count,
             Answer* full);
    int send_frame(uint32_t request, const void* structure, size_t length, const int* fds, unsigned fd_count);
    int await_reply();
    void take_turn_reading();
    int wake(const void* structure, size_t length);
    int read_one();
    void wait_over(int status);
};

int SocketDriver::send_frame(uint32_t request, const void* structure, size_t length, const int* fds,
                             unsigned fd_count) {
    myri_frame frame{};
    frame.request = request;
    frame.length = static_cast<uint32_t>(length);
    frame.now = moment.now;
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
int SocketDriver::read_one() {
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
    if (attached.time == MYRI_TIME_VIRTUAL || frame.safe_until) {
        moment.now = frame.now;
        moment.safe_until = frame.safe_until;
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

void SocketDriver::wait_over(int status) {
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
void SocketDriver::take_turn_reading() {
    reading = true;
    pthread_mutex_unlock(&lock);
    const int status = read_one();
    pthread_mutex_lock(&lock);
    reading = false;
    broken |= status < 0;
    pthread_cond_broadcast(&news);
}

// With the lock held.
int SocketDriver::await_reply() {
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

int SocketDriver::call(uint32_t request, void* structure, size_t length, const int* fds, unsigned fd_count,
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

int SocketDriver::attach(const char* host, AttachFailure& failure) {
    attached.abi = MYRI_DRIVER_ABI;
    snprintf(attached.host, sizeof attached.host, "%s", host);
    int fds[2];
    unsigned count = 0;
    fds[count] = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
    if (fds[count] < 0) {
        const int error = errno;
        snprintf(failure.text, sizeof failure.text, "pidfd_open failed: %s", strerror(error));
        return -error;
    }
    ++count;
    fds[count] = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    attached.has_memory = fds[count] >= 0;
    count += attached.has_memory;
    Answer answer;
    const int status = call(MYRI_ATTACH, &attached, sizeof attached, fds, count, &answer);
    for (unsigned i = 0; i < count; ++i)
        ::close(fds[i]);
    attached.hosts[sizeof attached.hosts - 1] = 0;
    attached.host[sizeof attached.host - 1] = 0;
    if (status == -ENOENT && !*host)
        snprintf(failure.text, sizeof failure.text, "MYRI_HOST is not set; the hosts of this fabric are: %s",
                 attached.hosts);
    else if (status == -ENOENT)
        snprintf(failure.text, sizeof failure.text,
                 "MYRI_HOST=%s is no host of this fabric; its hosts are: %s", host, attached.hosts);
    else if (status == -EPROTO)
        snprintf(failure.text, sizeof failure.text, "the fabric speaks driver version %u, this library %u",
                 attached.abi, MYRI_DRIVER_ABI);
    else if (status < 0)
        snprintf(failure.text, sizeof failure.text, "the fabric refused this process: %s", strerror(-status));
    if (status < 0)
        return status;
    if (attached.time == MYRI_TIME_VIRTUAL && answer.descriptor_count > 0 &&
        attached.clock_bytes >= sizeof(myri_clock_page))
        clock_page =
            static_cast<myri_clock_page*>(map_descriptor(answer.descriptors[0], sizeof(myri_clock_page), 0));
    for (unsigned i = 0; i < answer.descriptor_count; ++i)
        ::close(answer.descriptors[i]);
    if (attached.time == MYRI_TIME_VIRTUAL && !clock_page) {
        snprintf(failure.text, sizeof failure.text, "the fabric gave no usable clock page");
        return -EPROTO;
    }
    return 0;
}

int SocketDriver::open(myri_endpoint_open& open, EndpointMemory& memory) {
    Answer answer;
    const int status = call(MYRI_ENDPOINT_OPEN, &open, sizeof open, nullptr, 0, &answer);
    if (status < 0)
        return status;
    bool good = answer.descriptor_count >= 1 && open.ring_bytes && open.page_offset < open.ring_bytes;
    if (good) {
        memory.ring_bytes = open.ring_bytes;
        memory.rings = static_cast<uint8_t*>(map_descriptor(answer.descriptors[0], memory.ring_bytes, 0));
        good = memory.rings != nullptr;
    }
    if (good && attached.time != MYRI_TIME_VIRTUAL) {
        constexpr size_t window_bytes = 0x4000;
        good = answer.descriptor_count >= 2 && open.window_offset % 4096 == 0;
        if (good) {
            memory.window_mapping_bytes = window_bytes;
            memory.window_mapping =
                map_descriptor(answer.descriptors[1], window_bytes, static_cast<off_t>(open.window_offset));
            memory.window = static_cast<uint8_t*>(memory.window_mapping);
            good = memory.window != nullptr;
        }
    }
    for (unsigned i = 0; i < answer.descriptor_count; ++i)
        ::close(answer.descriptors[i]);
    if (good) {
        memory.page = reinterpret_cast<myri_host_page*>(memory.rings + open.page_offset);
        return 0;
    }
    close({open.board, open.endpoint}, memory);
    return -ENOMEM;
}

void SocketDriver::close(const myri_endpoint_ref& endpoint, EndpointMemory& memory) {
    myri_endpoint_ref ref = endpoint;
    request(MYRI_ENDPOINT_CLOSE, &ref, sizeof ref);
    pthread_mutex_lock(&lock);
    for (int& wakeup : waiters[ref.board % MYRI_BOARDS_MAX * 32 + ref.endpoint % 32].wakeup_fd)
        wakeup = -1;
    pthread_mutex_unlock(&lock);
    if (memory.window_mapping)
        munmap(memory.window_mapping, memory.window_mapping_bytes);
    if (memory.rings)
        munmap(memory.rings, memory.ring_bytes);
    memory = EndpointMemory{};
}

// Nobody waits for the answer to a wake: reading the request has woken the card. Answers must be read some
// time, though, or the socket fills up.
int SocketDriver::wake(const void* structure, size_t length) {
    pthread_mutex_lock(&lock);
    int status = broken ? -ENODEV : send_frame(MYRI_WAKE, structure, length, nullptr, 0);
    if (status == 0)
        ++wakes_unanswered;
    while (wakes_unanswered > 8 && !reading && !broken)
        take_turn_reading();
    pthread_mutex_unlock(&lock);
    return status;
}

int SocketDriver::wait(const myri_wait& wait, int wakeup_fd, bool background) {
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

void SocketDriver::shut(bool forked) {
    if (fd >= 0)
        ::close(fd);
    fd = -1;
    // In a forked child the clock page was never mapped (MADV_DONTFORK), and the object stays: a thread of
    // the parent may have held its locks at the fork.
    if (forked)
        return;
    if (clock_page)
        munmap(clock_page, sizeof *clock_page);
    clock_page = nullptr;
    this->~SocketDriver();
    free(this);
}

} // namespace

Driver* attach_socket(const char* path, const char* host, int& status, AttachFailure& failure) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) {
        status = -ENAMETOOLONG;
        snprintf(failure.text, sizeof failure.text, "MYRI_FABRIC is longer than %zu characters",
                 sizeof address.sun_path - 1);
        return nullptr;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    void* room = calloc(1, sizeof(SocketDriver));
    if (!room) {
        status = -ENOMEM;
        snprintf(failure.text, sizeof failure.text, "no memory for the driver connection");
        return nullptr;
    }
    SocketDriver* driver = new (room) SocketDriver;
    driver->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (driver->fd < 0 || connect(driver->fd, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
        status = -errno;
        snprintf(failure.text, sizeof failure.text, "the fabric's socket MYRI_FABRIC=%s: %s", path,
                 strerror(errno));
        if (status == -ECONNREFUSED || status == -ENOENT)
            status = -ENODEV;
    } else {
        status = driver->attach(host, failure);
    }
    if (status < 0) {
        driver->shut(false);
        return nullptr;
    }
    return driver;
}

} // namespace myri
