// SPDX-License-Identifier: BSD-3-Clause
#include "tests/driver/test_client.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace myri::driver_test {

TestClient::TestClient() : socket_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    const char* path = std::getenv("MYRI_FABRIC");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path ? path : "", sizeof address.sun_path - 1);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
}

TestClient::~TestClient() {
    ::close(socket_);
    for (const int fd : received)
        ::close(fd);
}

bool TestClient::send_raw(const void* bytes, size_t length, const std::vector<int>& fds) {
    iovec part{const_cast<void*>(bytes), length};
    alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
        cmsghdr* c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
        std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
    }
    return sendmsg(socket_, &message, MSG_NOSIGNAL) >= 0;
}

int TestClient::receive(void* structure, size_t length) {
    static uint8_t buffer[2 * MYRI_FRAME_MAX];
    iovec part{buffer, sizeof buffer};
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
    if (got < static_cast<ssize_t>(sizeof(myri_frame)))
        return 1;
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
        for (size_t n = 0; n < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); n++) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(c) + n * sizeof fd, sizeof fd);
            received.push_back(fd);
        }
    myri_frame frame;
    std::memcpy(&frame, buffer, sizeof frame);
    if (frame.length != static_cast<size_t>(got) - sizeof frame)
        throw std::runtime_error("an answer's length does not agree with its frame");
    if (structure)
        std::memcpy(structure, buffer + sizeof frame, std::min<size_t>(length, frame.length));
    now_ = frame.now;
    safe_until_ = frame.safe_until;
    return frame.status;
}

int TestClient::request(uint32_t which, void* structure, size_t length, const std::vector<int>& fds) {
    std::vector<uint8_t> bytes(sizeof(myri_frame) + length);
    myri_frame frame{};
    frame.request = which;
    frame.length = static_cast<uint32_t>(length);
    frame.now = now_;
    std::memcpy(bytes.data(), &frame, sizeof frame);
    std::memcpy(bytes.data() + sizeof frame, structure, length);
    for (const int fd : received)
        ::close(fd);
    received.clear();
    return send_raw(bytes.data(), bytes.size(), fds) ? receive(structure, length) : 1;
}

int TestClient::attach(uint32_t abi, int given) {
    attached = {};
    attached.abi = abi;
    attached.has_memory = given >= 0;
    if (const char* host = std::getenv("MYRI_HOST"))
        std::strncpy(attached.host, host, sizeof attached.host - 1);
    const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
    std::vector<int> fds{pidfd};
    if (given >= 0)
        fds.push_back(given ? dup(given) : ::open("/proc/self/mem", O_RDWR | O_CLOEXEC));
    const int status = request(MYRI_ATTACH, &attached, sizeof attached, fds);
    for (const int fd : fds)
        ::close(fd);
    if (status == 0 && attached.time == MYRI_TIME_VIRTUAL) {
        void* base = mmap(nullptr, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, received.at(0), 0);
        if (base == MAP_FAILED)
            throw std::runtime_error("the clock page cannot be mapped");
        page = static_cast<myri_clock_page*>(base);
    }
    return status;
}

int TestClient::open(uint32_t endpoint, Endpoint& out) {
    out = {};
    out.info.endpoint = endpoint;
    const int status = request(MYRI_ENDPOINT_OPEN, out.info);
    if (status != 0)
        return status;
    void* rings = mmap(nullptr, out.info.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, received.at(0), 0);
    if (rings == MAP_FAILED)
        throw std::runtime_error("rings cannot be mapped");
    out.rings = static_cast<uint8_t*>(rings);
    if (!page) {
        void* window = mmap(nullptr, FW_ENDPOINT_WINDOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, received.at(1),
                            static_cast<off_t>(out.info.window_offset));
        if (window == MAP_FAILED)
            throw std::runtime_error("the SRAM window cannot be mapped");
        out.window = static_cast<uint8_t*>(window);
    }
    return 0;
}

int TestClient::close(const Endpoint& endpoint) {
    myri_endpoint_ref ref{0, endpoint.info.endpoint};
    const int status = request(MYRI_ENDPOINT_CLOSE, ref);
    munmap(endpoint.rings, endpoint.info.ring_bytes);
    if (endpoint.window)
        munmap(endpoint.window, FW_ENDPOINT_WINDOW_SIZE);
    return status;
}

int TestClient::yield() {
    myri_clock clock{MYRI_CLOCK_YIELD, 0, 0, 0};
    return request(MYRI_CLOCK, clock);
}

int TestClient::park(uint64_t until, uint64_t period) {
    myri_clock clock{MYRI_CLOCK_PARK, 0, until, period};
    return request(MYRI_CLOCK, clock);
}

void TestClient::store(const Endpoint& endpoint, uint32_t offset, const void* bytes, uint32_t length) {
    if (endpoint.window) {
        std::atomic_thread_fence(std::memory_order_release);
        for (uint32_t n = 0; n < length; n += 8)
            std::memcpy(endpoint.window + offset + n, static_cast<const uint8_t*>(bytes) + n, 8);
        return;
    }
    const myri_store record{now_, endpoint.info.endpoint, offset, length, 0};
    if (page->used + sizeof record + length > sizeof page->records)
        throw std::runtime_error("the clock page is full");
    std::memcpy(page->records + page->used, &record, sizeof record);
    if (length)
        std::memcpy(page->records + page->used + sizeof record, bytes, length);
    page->used += static_cast<uint32_t>(sizeof record) + length;
}

void TestClient::post(Endpoint& endpoint, uint32_t peer, uint32_t to, const std::string& text) {
    fw_slot slot{};
    const auto room = static_cast<uint32_t>((text.size() + 7) / 8 * 8);
    std::memcpy(slot.body + FW_SLOT_BODY - room, text.data(), text.size());
    slot.peer = cpu_to_be16(static_cast<uint16_t>(peer));
    slot.dst_endpoint = static_cast<uint8_t>(to);
    slot.type = FW_SLOT_CONNECT;
    slot.length = cpu_to_be16(static_cast<uint16_t>(text.size()));
    slot.generation = cpu_to_be16(static_cast<uint16_t>(FW_GENERATION(endpoint.posted, FW_SLOTS)));
    const uint32_t at = endpoint.posted++ % FW_SLOTS * FW_SLOT_SIZE, last = offsetof(fw_slot, peer);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&slot);
    store(endpoint, at + FW_SLOT_BODY - room, bytes + FW_SLOT_BODY - room, last - (FW_SLOT_BODY - room));
    store(endpoint, 0, nullptr, 0);
    store(endpoint, at + last, bytes + last, 8);
    store(endpoint, 0, nullptr, 0);
    if (!endpoint.window)
        return;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    auto* host_page = reinterpret_cast<myri_host_page*>(endpoint.rings + endpoint.info.page_offset);
    if (std::atomic_ref(host_page->card_asleep).load()) {
        myri_endpoint_ref ref{0, endpoint.info.endpoint};
        request(MYRI_WAKE, ref);
    }
}

bool TestClient::poll(Endpoint& endpoint, std::string& body) {
    const uint32_t entries = endpoint.info.event_entries;
    for (;;) {
        const uint8_t* entry = endpoint.rings + endpoint.info.event_offset + endpoint.events % entries * FW_EVENT_SIZE;
        fw_event event;
        std::memcpy(&event, entry, sizeof event);
        if (be16_to_cpu(event.generation) != FW_GENERATION(endpoint.events, entries))
            return false;
        std::atomic_thread_fence(std::memory_order_acquire);
        std::memcpy(&event, entry, sizeof event);
        const uint32_t consumed[2] = {cpu_to_be32(++endpoint.events).raw, 0}; // nothing is in the receive ring
        store(endpoint, offsetof(fw_endpoint_window, events_consumed), consumed, sizeof consumed);
        if (event.type != FW_EVENT_PACKET)
            continue;
        body.assign(reinterpret_cast<const char*>(event.u.packet.body), be16_to_cpu(event.u.packet.header.length));
        return true;
    }
}

} // namespace myri::driver_test
