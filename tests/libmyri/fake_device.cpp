// SPDX-License-Identifier: BSD-3-Clause
#include "tests/libmyri/fake_device.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace myri::test {
namespace {

FakeMachine* machine = nullptr;

int answer(int status) {
    if (status >= 0)
        return status;
    errno = -status;
    return -1;
}

std::string hex(uint64_t n) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(n));
    return text;
}

const char* name_of(unsigned long code) {
    switch (code) {
    case MYRI_IOCTL(MYRI_ATTACH, myri_attach): return "MYRI_ATTACH";
    case MYRI_IOCTL(MYRI_BOARD_INFO, myri_board_info): return "MYRI_BOARD_INFO";
    case MYRI_IOCTL(MYRI_PEERS, myri_peers): return "MYRI_PEERS";
    case MYRI_IOCTL(MYRI_COUNTERS, myri_counters): return "MYRI_COUNTERS";
    case MYRI_IOCTL(MYRI_ENDPOINT_OPEN, myri_endpoint_open): return "MYRI_ENDPOINT_OPEN";
    case MYRI_IOCTL(MYRI_ENDPOINT_CLOSE, myri_endpoint_ref): return "MYRI_ENDPOINT_CLOSE";
    case MYRI_IOCTL(MYRI_ENDPOINT_RESUME, myri_endpoint_ref): return "MYRI_ENDPOINT_RESUME";
    case MYRI_IOCTL(MYRI_REGISTER, myri_register): return "MYRI_REGISTER";
    case MYRI_IOCTL(MYRI_UNREGISTER, myri_unregister): return "MYRI_UNREGISTER";
    case MYRI_IOCTL(MYRI_WAIT, myri_wait): return "MYRI_WAIT";
    default: return "unknown";
    }
}

} // namespace

const DeviceCalls FakeMachine::calls = {
    [](const char* path, int) { return answer(machine->open_node(path)); },
    [](int fd) { return answer(machine->close_file(fd)); },
    [](const char*, struct stat* node) {
        *node = {};
        node->st_mode = S_IFCHR | 0600;
        node->st_gid = 77;
        return 0;
    },
    [](int fd, unsigned long request, void* structure) { return answer(machine->carry_out(fd, request, structure)); },
    [](void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
        return machine->map(at, bytes, protection, flags, fd, offset);
    },
    [](pollfd* files, nfds_t count, const timespec* timeout, const sigset_t*) {
        return machine->poll_files(files, count, timeout);
    },
};

FakeMachine::FakeMachine() {
    machine = this;
}

FakeMachine::~FakeMachine() {
    if (window_)
        munmap(window_, FW_ENDPOINT_WINDOW_SIZE);
    if (rings_)
        munmap(rings_, rings_bytes_);
    machine = nullptr;
}

std::vector<std::string> FakeMachine::said() {
    const std::lock_guard guard(lock_);
    return log_;
}

unsigned FakeMachine::count(const std::string& beginning) {
    unsigned n = 0;
    for (const std::string& line : said())
        n += line.starts_with(beginning);
    return n;
}

size_t FakeMachine::open_files() {
    const std::lock_guard guard(lock_);
    return files_.size();
}

// ---- system calls ----

int FakeMachine::open_node(const char* path) {
    const std::lock_guard guard(lock_);
    say(std::string("open ") + path);
    FakeFile file;
    if (std::sscanf(path, "/dev/myri%u", &file.number) != 1 || !nodes.contains(file.number))
        return -ENOENT;
    if (nodes[file.number])
        return -nodes[file.number];
    const int fd = memfd_create("fake device", MFD_CLOEXEC);
    file.news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0 || file.news < 0)
        return -errno;
    files_[fd] = file;
    return fd;
}

int FakeMachine::close_file(int fd) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(fd);
    if (found == files_.end())
        return -EBADF;
    say("close" + std::string(found->second.open ? " with endpoint" : ""));
    ::close(found->second.news);
    ::close(fd);
    files_.erase(found);
    return 0;
}

int FakeMachine::open_endpoint(FakeFile& file, myri_endpoint_open& o) {
    if (file.open)
        return -EBUSY;
    if (o.endpoint == MYRI_ANY)
        o.endpoint = 0;
    for (const auto& [fd, other] : files_)
        if (other.open && other.endpoint.endpoint == o.endpoint && other.number == file.number)
            return -EBUSY;
    o.event_entries = event_entries;
    o.receive_bytes = receive_bytes;
    o.send_bytes = send_bytes;
    o.bounce_bytes = bounce_bytes;
    o.session = 0x1234;
    o.event_offset = 0;
    o.receive_offset = event_entries * FW_EVENT_SIZE;
    o.send_offset = o.receive_offset + receive_bytes;
    o.page_offset = o.send_offset + send_bytes;
    o.bounce_offset = o.page_offset + 4096;
    o.ring_bytes = o.bounce_offset + bounce_bytes;
    file.open = true;
    file.endpoint = o;
    return 0;
}

int FakeMachine::carry_out(int fd, unsigned long code, void* structure) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(fd);
    if (found == files_.end())
        return -EBADF;
    FakeFile& file = found->second;
    auto* words = static_cast<uint32_t*>(structure); // board, then, for some, endpoint
    std::string what = std::string("ioctl ") + name_of(code);
    if (code == MYRI_IOCTL(MYRI_ATTACH, myri_attach)) {
        say(what);
        auto* a = static_cast<myri_attach*>(structure);
        const bool same = a->abi == abi;
        *a = {};
        a->abi = abi;
        a->boards = 1;
        std::strcpy(a->host, "fakehost");
        return attach_error ? -attach_error : same ? 0 : -EPROTO;
    }
    what += " board " + std::to_string(words[0]);
    const bool of_endpoint = code != MYRI_IOCTL(MYRI_BOARD_INFO, myri_board_info) &&
                             code != MYRI_IOCTL(MYRI_PEERS, myri_peers) &&
                             code != MYRI_IOCTL(MYRI_COUNTERS, myri_counters) &&
                             code != MYRI_IOCTL(MYRI_ENDPOINT_OPEN, myri_endpoint_open);
    if (of_endpoint)
        what += " endpoint " + std::to_string(words[1]);
    say(what);
    if (words[0] != file.number)
        return -ENODEV;
    if (of_endpoint && (!file.open || words[1] != file.endpoint.endpoint))
        return -EINVAL;
    switch (code) {
    case MYRI_IOCTL(MYRI_BOARD_INFO, myri_board_info): {
        auto* info = static_cast<myri_board_info*>(structure);
        info->mac = 0x0060dd000000 + file.number;
        info->ports = info->peer_count = 1;
        info->endpoints = FW_ENDPOINTS;
        std::strcpy(info->hostname, "fakehost");
        return 0;
    }
    case MYRI_IOCTL(MYRI_PEERS, myri_peers): {
        auto* p = static_cast<myri_peers*>(structure);
        p->total = in_own_table;
        p->count = in_own_table && p->first == 0;
        p->peer[0].mac = 0x0060dd000000 + file.number;
        std::strcpy(p->peer[0].name, "fakehost:0");
        return 0;
    }
    case MYRI_IOCTL(MYRI_ENDPOINT_OPEN, myri_endpoint_open): {
        const int status = open_error ? -open_error : open_endpoint(file, *static_cast<myri_endpoint_open*>(structure));
        if (status == 0 && ftruncate(fd, static_cast<off_t>(MYRI_MMAP_RINGS + file.endpoint.ring_bytes)) < 0)
            return -errno;
        return status;
    }
    case MYRI_IOCTL(MYRI_ENDPOINT_CLOSE, myri_endpoint_ref): file.open = false; return 0;
    case MYRI_IOCTL(MYRI_ENDPOINT_RESUME, myri_endpoint_ref): return 0;
    case MYRI_IOCTL(MYRI_REGISTER, myri_register): {
        auto* m = static_cast<myri_register*>(structure);
        if (registered.size() - unregistered.size() >= register_good)
            return -register_error;
        m->window = static_cast<uint32_t>(registered.size() % FW_WINDOWS);
        m->generation = ++generations_;
        registered.push_back(*m);
        return 0;
    }
    case MYRI_IOCTL(MYRI_UNREGISTER, myri_unregister):
        unregistered.push_back(*static_cast<myri_unregister*>(structure));
        return 0;
    case MYRI_IOCTL(MYRI_WAIT, myri_wait): {
        const auto* w = static_cast<const myri_wait*>(structure);
        if (w->timeout_us != 0)
            return -EINVAL; // nobody here could wake it
        file.events_seen = w->events_seen;
        const auto* stored = reinterpret_cast<const fw_endpoint_window*>(window_here());
        looks_.push_back({w->events_seen, be32_to_cpu(stored->wake_after_us), be32_to_cpu(stored->events_consumed)});
        if (events_written_ > w->events_seen)
            return 0;
        uint64_t old; // events before this look
        if (read(file.news, &old, sizeof old) < 0 && errno != EAGAIN)
            return -errno;
        return wait_answer;
    }
    default: return -ENOTTY;
    }
}

void* FakeMachine::map(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    {
        const std::lock_guard guard(lock_);
        if (fd >= 0)
            say("map " + std::to_string(bytes) + " at " + hex(static_cast<uint64_t>(offset)));
        if (maps_++ == failing_map) {
            errno = EAGAIN;
            return MAP_FAILED;
        }
    }
    return mmap(at, bytes, protection, flags, fd, offset);
}

int FakeMachine::poll_files(pollfd* files, nfds_t count, const timespec* timeout) {
    std::vector<pollfd> real(files, files + count);
    {
        const std::lock_guard guard(lock_);
        say("poll " + std::to_string(count) + " files" +
            (timeout ? " " + std::to_string(timeout->tv_sec * 1000000 + timeout->tv_nsec / 1000) + " us" : ""));
        for (pollfd& p : real)
            if (files_.contains(p.fd))
                p.fd = files_[p.fd].news;
    }
    const int ready = revents ? 1 : ppoll(real.data(), count, timeout, nullptr);
    const int error = errno;
    for (nfds_t i = 0; i < count; i++)
        files[i].revents = real[i].revents;
    files[0].revents = static_cast<short>(files[0].revents | revents);
    errno = error;
    return ready;
}

// ---- the card's side ----

int FakeMachine::endpoint_fd() {
    for (const auto& [fd, file] : files_)
        if (file.open)
            return fd;
    return -1;
}

FakeFile FakeMachine::endpoint_file() {
    const std::lock_guard guard(lock_);
    return files_.at(endpoint_fd());
}

std::vector<FakeMachine::Look> FakeMachine::looks() {
    const std::lock_guard guard(lock_);
    return looks_;
}

uint8_t* FakeMachine::window() {
    const std::lock_guard guard(lock_);
    return window_here();
}

uint8_t* FakeMachine::window_here() {
    if (!window_)
        window_ = static_cast<uint8_t*>(mmap(nullptr, FW_ENDPOINT_WINDOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                                             endpoint_fd(), MYRI_MMAP_WINDOW));
    return window_;
}

uint8_t* FakeMachine::rings() {
    const std::lock_guard guard(lock_);
    if (!rings_) {
        rings_bytes_ = files_.at(endpoint_fd()).endpoint.ring_bytes;
        rings_ = static_cast<uint8_t*>(mmap(nullptr, rings_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, endpoint_fd(),
                                            MYRI_MMAP_RINGS));
    }
    return rings_;
}

void FakeMachine::event(enum fw_event_type type, bool interrupt) {
    uint8_t* ring = rings();
    const std::lock_guard guard(lock_);
    auto* e = reinterpret_cast<fw_event*>(ring) + events_written_ % event_entries;
    e->type = static_cast<uint8_t>(type);
    const be16 generation = cpu_to_be16(static_cast<uint16_t>(FW_GENERATION(events_written_, event_entries)));
    __atomic_store_n(&e->generation.raw, generation.raw, __ATOMIC_RELEASE);
    ++events_written_;
    const uint64_t one = 1;
    if (interrupt && write(files_.at(endpoint_fd()).news, &one, sizeof one) < 0)
        std::perror("eventfd");
}

} // namespace myri::test
