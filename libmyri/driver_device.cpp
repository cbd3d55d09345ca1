// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/driver_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <new>

#include "abi/firmware.h"

namespace myri {

const DeviceCalls system_calls = {
    [](const char* path, int flags) { return open(path, flags); },
    close,
    stat,
    [](int fd, unsigned long request, void* structure) { return ioctl(fd, request, structure); },
    mmap,
    ppoll,
};

namespace {

// The requests of a device. Their structures begin with the board; those of an endpoint go on with its
// number.
struct RequestRow {
    uint32_t request;
    unsigned long code;
    size_t bytes;
    bool of_endpoint;
};
#define BOARD_ROW(request, type)                                                                             \
    { request, MYRI_IOCTL(request, type), sizeof(type), false }
#define ENDPOINT_ROW(request, type)                                                                          \
    { request, MYRI_IOCTL(request, type), sizeof(type), true }
const RequestRow request_rows[] = {
    BOARD_ROW(MYRI_BOARD_INFO, myri_board_info),
    BOARD_ROW(MYRI_PEERS, myri_peers),
    BOARD_ROW(MYRI_SET_PEERS, myri_peers),
    BOARD_ROW(MYRI_COUNTERS, myri_counters),
    BOARD_ROW(MYRI_DMABENCH, myri_dmabench),
    ENDPOINT_ROW(MYRI_ENDPOINT_CLOSE, myri_endpoint_ref),
    ENDPOINT_ROW(MYRI_ENDPOINT_RESUME, myri_endpoint_ref),
    ENDPOINT_ROW(MYRI_REGISTER, myri_register),
    ENDPOINT_ROW(MYRI_UNREGISTER, myri_unregister),
    ENDPOINT_ROW(MYRI_WAIT, myri_wait),
};

const RequestRow* find_row(uint32_t request) {
    for (const RequestRow& row : request_rows)
        if (row.request == request)
            return &row;
    return nullptr;
}

constexpr size_t path_max = 32;
void device_path(char (&path)[path_max], uint32_t number) {
    snprintf(path, sizeof path, "/dev/myri%u", number);
}

class DeviceDriver final : public Driver {
public:
    explicit DeviceDriver(const DeviceCalls& calls) : calls(calls) {
        for (auto& of_board : endpoint_files)
            for (int& fd : of_board)
                fd = -1;
    }

    int attach(AttachFailure& failure);
    int request(uint32_t request, void* structure, size_t length) override;
    int open(myri_endpoint_open& open, EndpointMemory& memory) override;
    void close(const myri_endpoint_ref& endpoint, EndpointMemory& memory) override;
    int wait(const myri_wait& wait, int wakeup_fd, bool background) override;
    void shut(bool forked) override;

private:
    struct Device {
        uint32_t number; // of /dev/myriN
        int fd;
    };

    const DeviceCalls& calls;
    Device devices[MYRI_BOARDS_MAX]; // attached.boards of them; fixed after attach()
    // Written by open() and close() only, when nobody else uses that endpoint.
    int endpoint_files[MYRI_BOARDS_MAX][FW_ENDPOINTS];

    int call(int fd, unsigned long code, uint32_t board, void* structure) const;
    int ask_version(int fd, myri_attach& answer) const;
    int map_endpoint(int fd, const myri_endpoint_open& open, EndpointMemory& memory) const;
};

// The structure's first word is the board: N on /dev/myriN, our own number for the caller.
int DeviceDriver::call(int fd, unsigned long code, uint32_t board, void* structure) const {
    memcpy(structure, &devices[board].number, sizeof(uint32_t));
    const int status = calls.ioctl(fd, code, structure) < 0 ? -errno : 0;
    memcpy(structure, &board, sizeof(uint32_t));
    return status;
}

// ---- boards ----

int DeviceDriver::ask_version(int fd, myri_attach& answer) const {
    answer = {};
    answer.abi = MYRI_DRIVER_ABI;
    const int status = calls.ioctl(fd, MYRI_IOCTL(MYRI_ATTACH, myri_attach), &answer) < 0 ? -errno : 0;
    if (status == -ENODEV)
        return -ENXIO;
    const bool another = answer.abi != MYRI_DRIVER_ABI || answer.time != MYRI_TIME_REAL;
    return status == -ENOTTY || (status == 0 && another) ? -EPROTO : status;
}

void explain(AttachFailure& failure, const DeviceCalls& calls, const char* path, int status, uint32_t abi) {
    struct stat node = {};
    switch (status) {
    case -EACCES:
    case -EPERM:
        calls.stat(path, &node);
        snprintf(failure.text, sizeof failure.text,
                 "%s has mode %04o, owner %u and group %u, which do not let this process in; join that group",
                 path, static_cast<unsigned>(node.st_mode) & 07777u, node.st_uid, node.st_gid);
        break;
    case -EPROTO:
        if (abi != MYRI_DRIVER_ABI)
            snprintf(failure.text, sizeof failure.text,
                     "the module behind %s speaks driver version %u, this library %u", path, abi,
                     MYRI_DRIVER_ABI);
        else
            snprintf(failure.text, sizeof failure.text, "what is behind %s does not speak driver version %u",
                     path, MYRI_DRIVER_ABI);
        break;
    case -ENXIO:
        snprintf(failure.text, sizeof failure.text,
                 "%s is there, but no driver answers; load the module (modprobe myri) and see dmesg", path);
        break;
    default:
        snprintf(failure.text, sizeof failure.text, "%s: %s", path, strerror(-status));
    }
}

// A device that cannot be used matters only if none can.
int DeviceDriver::attach(AttachFailure& failure) {
    int first_problem = 0;
    for (uint32_t number = 0; number < MYRI_BOARDS_MAX; ++number) {
        char path[path_max];
        device_path(path, number);
        const int fd = calls.open(path, O_RDWR | O_CLOEXEC);
        int status = fd < 0 ? -errno : 0;
        if (status == -ENOENT)
            continue;
        if (status == -ENODEV)
            status = -ENXIO;
        myri_attach answer = {};
        if (status == 0)
            status = ask_version(fd, answer);
        if (status == 0) {
            devices[attached.boards] = {number, fd};
            const uint32_t boards = attached.boards + 1;
            attached = answer;
            attached.boards = boards;
            attached.host[sizeof attached.host - 1] = 0;
            continue;
        }
        if (fd >= 0)
            calls.close(fd);
        if (first_problem == 0) {
            first_problem = status;
            explain(failure, calls, path, status, answer.abi);
        }
    }
    if (attached.boards)
        return 0;
    if (first_problem == 0)
        snprintf(
            failure.text, sizeof failure.text,
            "neither MYRI_FABRIC (the socket of an emulated fabric) is set nor is there a board: looked for "
            "/dev/myri0 to /dev/myri%u; load the module (modprobe myri) or start a fabric (myri-fabric "
            "start)",
            MYRI_BOARDS_MAX - 1);
    return first_problem ? first_problem : -ENOENT;
}

int DeviceDriver::request(uint32_t request, void* structure, size_t length) {
    const RequestRow* row = find_row(request);
    if (!row)
        return -EOPNOTSUPP;
    uint32_t place[2];
    if (length < sizeof place || (length != row->bytes && request != MYRI_REGISTER))
        return -EINVAL;
    memcpy(place, structure, sizeof place);
    const auto [board, endpoint] = place;
    if (board >= attached.boards)
        return -ENODEV;
    if (!row->of_endpoint)
        return call(devices[board].fd, row->code, board, structure);
    if (endpoint >= FW_ENDPOINTS || endpoint_files[board][endpoint] < 0)
        return -EINVAL;
    const int fd = endpoint_files[board][endpoint];
    if (length == row->bytes)
        return call(fd, row->code, board, structure);
    // Callers give only as many segments as they have; the device takes the whole structure.
    myri_register whole;
    if (length < offsetof(myri_register, segment) || length > sizeof whole)
        return -EINVAL;
    memcpy(&whole, structure, length);
    if (whole.count > (length - offsetof(myri_register, segment)) / sizeof(myri_segment))
        return -EINVAL;
    const int status = call(fd, row->code, board, &whole);
    memcpy(structure, &whole, length);
    return status;
}

// ---- endpoints ----

// The parts of the rings, each a mapping of its own, in one range as everybody else has them.
int DeviceDriver::map_endpoint(int fd, const myri_endpoint_open& o, EndpointMemory& memory) const {
    struct {
        uint64_t offset, bytes;
    } const parts[] = {
        {o.event_offset, static_cast<uint64_t>(o.event_entries) * FW_EVENT_SIZE},
        {o.receive_offset, o.receive_bytes},
        {o.send_offset, o.send_bytes},
        {o.page_offset, sizeof(myri_host_page)},
        {o.bounce_offset, o.bounce_bytes},
    };
    void* range =
        calls.map(nullptr, o.ring_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return -errno;
    memory.rings = static_cast<uint8_t*>(range);
    memory.ring_bytes = o.ring_bytes;
    for (const auto& part : parts) {
        if (part.bytes == 0)
            continue;
        const uint64_t bytes = (part.bytes + 4095) & ~UINT64_C(4095);
        if (part.offset % 4096 || part.offset > o.ring_bytes || bytes > o.ring_bytes - part.offset)
            return -EBADMSG;
        if (!map_shared(calls.map, memory.rings + part.offset, bytes, fd,
                        static_cast<off_t>(MYRI_MMAP_RINGS + part.offset)))
            return -errno;
    }
    memory.window =
        static_cast<uint8_t*>(map_shared(calls.map, nullptr, FW_ENDPOINT_WINDOW_SIZE, fd, MYRI_MMAP_WINDOW));
    if (!memory.window)
        return -errno;
    memory.page = reinterpret_cast<myri_host_page*>(memory.rings + o.page_offset);
    return 0;
}

int DeviceDriver::open(myri_endpoint_open& open, EndpointMemory& memory) {
    const uint32_t board = open.board;
    if (board >= attached.boards)
        return -ENODEV;
    char path[path_max];
    device_path(path, devices[board].number);
    const int fd = calls.open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int status = call(fd, MYRI_IOCTL(MYRI_ENDPOINT_OPEN, myri_endpoint_open), board, &open);
    if (status == 0)
        status = open.endpoint < FW_ENDPOINTS ? map_endpoint(fd, open, memory) : -EBADMSG;
    if (status == 0) {
        endpoint_files[board][open.endpoint] = fd;
        return 0;
    }
    unmap(memory);
    calls.close(fd); // and with it the endpoint
    return status;
}

void DeviceDriver::close(const myri_endpoint_ref& endpoint, EndpointMemory& memory) {
    myri_endpoint_ref ref = endpoint;
    request(MYRI_ENDPOINT_CLOSE, &ref, sizeof ref); // the card writes into the rings until then
    unmap(memory);
    if (ref.board >= attached.boards || ref.endpoint >= FW_ENDPOINTS)
        return;
    int& fd = endpoint_files[ref.board][ref.endpoint];
    if (fd >= 0)
        calls.close(fd);
    fd = -1;
}

// The look says beyond which event poll() is to end. Another thread's look may come between: with an earlier
// count this one ends too early, and with a later one that thread has taken the events, and wakes whom they
// concern.
int DeviceDriver::wait(const myri_wait& wait, int wakeup_fd, bool) {
    myri_wait look = wait;
    look.timeout_us = 0;
    const int status = request(MYRI_WAIT, &look, sizeof look);
    if (status != -ETIMEDOUT)
        return status;
    pollfd files[2] = {{endpoint_files[wait.board][wait.endpoint], POLLIN, 0}, {wakeup_fd, POLLIN, 0}};
    const timespec timeout = {static_cast<time_t>(wait.timeout_us / 1000000),
                              static_cast<long>(wait.timeout_us % 1000000) * 1000};
    const int ready = calls.poll(files, 2, wait.timeout_us == MYRI_ANY ? nullptr : &timeout, nullptr);
    if (ready < 0)
        return -errno;
    if (files[0].revents & (POLLERR | POLLHUP | POLLNVAL))
        return -ENODEV;
    if (files[1].revents)
        return -EINTR;
    return files[0].revents ? 0 : -ETIMEDOUT;
}

void DeviceDriver::shut(bool forked) {
    for (uint32_t b = 0; b < attached.boards; ++b)
        calls.close(devices[b].fd);
    for (auto& of_board : endpoint_files)
        for (const int fd : of_board)
            if (fd >= 0)
                calls.close(fd);
    if (forked)
        return; // the object stays: a thread of the parent may have been here
    this->~DeviceDriver();
    free(this);
}

} // namespace

Driver* attach_devices(const DeviceCalls& calls, int& status, AttachFailure& failure) {
    void* room = calloc(1, sizeof(DeviceDriver));
    if (!room) {
        status = -ENOMEM;
        snprintf(failure.text, sizeof failure.text, "no memory for the driver connection");
        return nullptr;
    }
    auto* driver = new (room) DeviceDriver(calls);
    status = driver->attach(failure);
    if (status == 0)
        return driver;
    driver->shut(false);
    return nullptr;
}

} // namespace myri
