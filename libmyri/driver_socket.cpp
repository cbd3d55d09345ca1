// SPDX-License-Identifier: BSD-3-Clause
// The emulator's driver service: requests over its socket, memory by descriptors.
#include "libmyri/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <new>

#include "abi/firmware.h"
#include "libmyri/socket_channel.h"

namespace myri {

namespace {

class SocketDriver final : public Driver {
public:
    SocketChannel channel{*this};

    int request(uint32_t request, void* structure, size_t length) override {
        if (request == MYRI_WAKE)
            return channel.wake(structure, length);
        return channel.call(request, structure, length, nullptr, 0, nullptr);
    }

    int attach(const char* host, bool reachable, AttachFailure& failure);
    int open(myri_endpoint_open& open, EndpointMemory& memory) override;
    void close(const myri_endpoint_ref& endpoint, EndpointMemory& memory) override;
    int wait(const myri_wait& wait, int wakeup_fd, bool background) override {
        return channel.wait(wait, wakeup_fd, background);
    }
    void shut(bool forked) override;
};

void close_all(const SocketChannel::Answer& answer) {
    for (unsigned i = 0; i < answer.descriptor_count; ++i)
        ::close(answer.descriptors[i]);
}

int SocketDriver::attach(const char* host, bool reachable, AttachFailure& failure) {
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
    // Where it cannot be opened, endpoints have a bounce area.
    fds[count] = reachable ? ::open("/proc/self/mem", O_RDWR | O_CLOEXEC) : -1;
    attached.has_memory = fds[count] >= 0;
    count += attached.has_memory;
    SocketChannel::Answer answer;
    const int status = channel.call(MYRI_ATTACH, &attached, sizeof attached, fds, count, &answer);
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
        clock_page = static_cast<myri_clock_page*>(
            map_shared(mmap, nullptr, sizeof(myri_clock_page), answer.descriptors[0], 0));
    close_all(answer);
    if (attached.time == MYRI_TIME_VIRTUAL && !clock_page) {
        snprintf(failure.text, sizeof failure.text, "the fabric gave no usable clock page");
        return -EPROTO;
    }
    return 0;
}

int SocketDriver::open(myri_endpoint_open& open, EndpointMemory& memory) {
    SocketChannel::Answer answer;
    const int status = channel.call(MYRI_ENDPOINT_OPEN, &open, sizeof open, nullptr, 0, &answer);
    if (status < 0)
        return status;
    const bool with_window = attached.time != MYRI_TIME_VIRTUAL;
    bool good = answer.descriptor_count >= (with_window ? 2u : 1u) && open.ring_bytes &&
                open.page_offset < open.ring_bytes && open.window_offset % 4096 == 0;
    if (good) {
        memory.ring_bytes = open.ring_bytes;
        memory.rings =
            static_cast<uint8_t*>(map_shared(mmap, nullptr, memory.ring_bytes, answer.descriptors[0], 0));
        if (with_window)
            memory.window = static_cast<uint8_t*>(map_shared(mmap, nullptr, FW_ENDPOINT_WINDOW_SIZE,
                                                             answer.descriptors[1],
                                                             static_cast<off_t>(open.window_offset)));
        good = memory.rings && (memory.window || !with_window);
    }
    close_all(answer);
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
    channel.forget(ref);
    unmap(memory);
}

void SocketDriver::shut(bool forked) {
    if (channel.fd >= 0)
        ::close(channel.fd);
    channel.fd = -1;
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

Driver* attach_socket(const char* path, const char* host, bool reachable, int& status, AttachFailure& failure) {
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
    driver->channel.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (driver->channel.fd < 0 ||
        connect(driver->channel.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
        status = -errno;
        snprintf(failure.text, sizeof failure.text, "the fabric's socket MYRI_FABRIC=%s: %s", path,
                 strerror(errno));
        if (status == -ECONNREFUSED || status == -ENOENT)
            status = -ENODEV;
    } else {
        status = driver->attach(host, reachable, failure);
    }
    if (status < 0) {
        driver->shut(false);
        return nullptr;
    }
    return driver;
}

} // namespace myri
