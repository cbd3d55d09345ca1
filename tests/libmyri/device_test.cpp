// SPDX-License-Identifier: BSD-3-Clause
// The driver over /dev/myriN: which devices it takes, what it maps, where its requests go, how it waits.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "libmyri/library.h"
#include "mx_extensions.h"
#include "tests/libmyri/fake_device.h"

using namespace myri;
using namespace myri::test;

namespace {

struct Attached {
    AttachFailure failure{};
    int status = 1;
    Driver* driver;
    Attached() : driver(attach_devices(FakeMachine::calls, status, failure)) {}
    ~Attached() {
        if (driver)
            driver->shut(false);
    }
    Driver* operator->() const { return driver; }
    bool says(const char* text) const { return std::strstr(failure.text, text) != nullptr; }
};

// What /proc/self/smaps says of the mapping at `address`: its size in bytes and its flags.
struct Mapping {
    size_t bytes = 0;
    std::string flags;
};
Mapping mapping_of(const void* address) {
    Mapping m;
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    bool here = false;
    while (std::getline(maps, line)) {
        unsigned long from, to;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) {
            here = reinterpret_cast<uintptr_t>(address) >= from && reinterpret_cast<uintptr_t>(address) < to;
            if (here)
                m.bytes = to - from;
        } else if (here && line.starts_with("VmFlags:")) {
            m.flags = line + " ";
        }
    }
    return m;
}

unsigned lines_of(const char* file) {
    std::ifstream f(file);
    std::string line;
    unsigned n = 0;
    while (std::getline(f, line))
        n += line.find("fake device") != std::string::npos;
    return n;
}

struct OpenEndpoint {
    FakeMachine& machine;
    Attached attached;
    myri_endpoint_open o{};
    EndpointMemory memory;
    int wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    explicit OpenEndpoint(FakeMachine& m, uint32_t board = 0) : machine(m) {
        REQUIRE_EQ(attached.status, 0);
        o.board = board;
        o.endpoint = 5;
        REQUIRE_EQ(attached->open(o, memory), 0);
    }
    ~OpenEndpoint() {
        attached->close({o.board, o.endpoint}, memory);
        close(wakeup);
    }
    int wait(uint32_t timeout_us) {
        return attached->wait({o.board, o.endpoint, 7, timeout_us}, wakeup, false);
    }
};

} // namespace

TEST_CASE("without a device the text says what was looked for and what to do") {
    FakeMachine machine;
    Attached a;
    CHECK_EQ(a.driver, nullptr);
    CHECK_EQ(a.status, -ENOENT);
    CHECK(a.says("/dev/myri0 to /dev/myri3"));
    CHECK(a.says("modprobe myri"));
    CHECK(a.says("MYRI_FABRIC"));
    CHECK_EQ(machine.count("open /dev/myri"), 4u);
}

TEST_CASE("a device that may not be opened is named with its mode and group") {
    FakeMachine machine;
    machine.nodes[2] = EACCES;
    Attached a;
    CHECK_EQ(a.status, -EACCES);
    CHECK(a.says("/dev/myri2 has mode 0600, owner 0 and group 77"));
}

TEST_CASE("a device without a driver, before or after opening, is told from none") {
    for (const int error : {ENXIO, ENODEV}) {
        FakeMachine machine;
        machine.nodes[0] = error;
        Attached a;
        CHECK_EQ(a.status, -ENXIO);
        CHECK(a.says("/dev/myri0 is there, but no driver answers"));
    }
    FakeMachine machine;
    machine.nodes[0] = 0;
    machine.attach_error = ENODEV;
    Attached a;
    CHECK_EQ(a.status, -ENXIO);
    CHECK_EQ(machine.open_files(), 0u);
}

TEST_CASE("a module of another version is refused with both versions") {
    FakeMachine machine;
    machine.nodes[0] = 0;
    machine.abi = 77;
    Attached a;
    CHECK_EQ(a.status, -EPROTO);
    CHECK(a.says("version 77"));
    CHECK(a.says(("this library " + std::to_string(MYRI_DRIVER_ABI)).c_str()));
    CHECK_EQ(machine.open_files(), 0u);
    machine.abi = MYRI_DRIVER_ABI;
    machine.attach_error = ENOTTY; // too old or too new for this structure
    Attached b;
    CHECK_EQ(b.status, -EPROTO);
    CHECK(b.says("does not speak driver version"));
}

TEST_CASE("boards are counted without gaps, and each device hears its own number") {
    FakeMachine machine;
    machine.nodes = {{0, ENODEV}, {1, 0}, {3, 0}};
    Attached a;
    REQUIRE_EQ(a.status, 0);
    CHECK_EQ(a->attached.boards, 2u);
    CHECK_EQ(a->attached.time, MYRI_TIME_REAL);
    CHECK_EQ(std::string(a->attached.host), "fakehost");
    for (uint32_t board = 0; board < 2; ++board) {
        myri_board_info info{};
        info.board = board;
        CHECK_EQ(a->request(MYRI_BOARD_INFO, &info, sizeof info), 0);
        CHECK_EQ(info.board, board);
        CHECK_EQ(info.mac, 0x0060dd000000u + (board ? 3 : 1));
    }
    myri_board_info none{};
    none.board = 2;
    CHECK_EQ(a->request(MYRI_BOARD_INFO, &none, sizeof none), -ENODEV);
    myri_clock clock{};
    CHECK_EQ(a->request(MYRI_CLOCK, &clock, sizeof clock), -EOPNOTSUPP);
    CHECK_EQ(a->request(MYRI_BOARD_INFO, &none, sizeof none - 4), -EINVAL);
}

TEST_CASE("an endpoint's parts are mapped one by one into one range that a child does not inherit") {
    FakeMachine machine;
    machine.nodes[1] = 0;
    machine.bounce_bytes = 64 << 10;
    OpenEndpoint e(machine);
    CHECK_EQ(e.o.board, 0u);
    CHECK_EQ(machine.count("map 16384 at 0x10000000"), 1u);  // 256 events of 64 bytes
    CHECK_EQ(machine.count("map 65536 at 0x10004000"), 1u);  // receive ring
    CHECK_EQ(machine.count("map 131072 at 0x10014000"), 1u); // send ring
    CHECK_EQ(machine.count("map 4096 at 0x10034000"), 1u);   // host page
    CHECK_EQ(machine.count("map 65536 at 0x10035000"), 1u);  // bounce area
    CHECK_EQ(machine.count("map 16384 at 0x0"), 1u);         // SRAM window
    CHECK_EQ(machine.count("map "), 6u);

    uint8_t* rings = machine.rings();
    for (const uint32_t offset : {0x0u, 0x4000u, 0x14000u, 0x34000u, 0x35000u, 0x44fffu}) {
        rings[offset] = static_cast<uint8_t>(offset >> 12 | 0x80);
        CHECK_EQ(e.memory.rings[offset], (offset >> 12 | 0x80));
    }
    CHECK_EQ(reinterpret_cast<uint8_t*>(e.memory.page), e.memory.rings + 0x34000);
    e.memory.window[0x3fff] = 0x5a;
    CHECK_EQ(machine.window()[0x3fff], 0x5a);
    for (const uint8_t* part : {e.memory.rings, e.memory.rings + 0x34000, e.memory.rings + 0x44fff, e.memory.window}) {
        const Mapping m = mapping_of(part);
        CHECK(m.flags.find(" dc ") != std::string::npos); // not copied by fork
        CHECK(m.flags.find(" sh ") != std::string::npos);
    }
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(e.memory.rings[0x4000]);
    }
    int status = 0;
    REQUIRE_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_CASE("an endpoint that cannot be mapped leaves nothing behind") {
    for (int failing = 0; failing < 6; ++failing) {
        FakeMachine machine;
        machine.nodes[0] = 0;
        machine.failing_map = failing;
        Attached a;
        REQUIRE_EQ(a.status, 0);
        myri_endpoint_open o{};
        o.endpoint = MYRI_ANY;
        EndpointMemory memory;
        CHECK_EQ(a->open(o, memory), -EAGAIN);
        CHECK_EQ(memory.rings, nullptr);
        CHECK_EQ(memory.window, nullptr);
        CHECK_EQ(machine.open_files(), 1u); // the board's
        CHECK_EQ(lines_of("/proc/self/maps"), 0u);
    }
}

TEST_CASE("a refused open answers as the device did and closes its file") {
    FakeMachine machine;
    machine.nodes[0] = 0;
    OpenEndpoint e(machine);
    EndpointMemory memory;
    myri_endpoint_open o{};
    o.endpoint = 5;
    CHECK_EQ(e.attached->open(o, memory), -EBUSY);
    CHECK_EQ(machine.open_files(), 2u);
    o.endpoint = 6;
    CHECK_EQ(e.attached->open(o, memory), 0); // a file of its own
    CHECK_EQ(machine.open_files(), 3u);
    e.attached->close({0, 6}, memory);
    CHECK_EQ(machine.open_files(), 2u);
}

TEST_CASE("requests of an endpoint go through its own file, until it is closed") {
    FakeMachine machine;
    machine.nodes = {{0, ENODEV}, {2, 0}};
    char byte[2] = {};
    {
        OpenEndpoint e(machine);
        myri_register m;
        std::memset(&m, 0xee, sizeof m);
        m.board = 0;
        m.endpoint = 5;
        m.flags = MYRI_REGISTER_WRITABLE;
        m.count = 2;
        m.segment[0] = {reinterpret_cast<uint64_t>(&byte[0]), 1};
        m.segment[1] = {reinterpret_cast<uint64_t>(&byte[1]), 1};
        const size_t length = offsetof(myri_register, segment) + 2 * sizeof(myri_segment);
        CHECK_EQ(e.attached->request(MYRI_REGISTER, &m, length), 0);
        CHECK_EQ(m.generation, 1u);
        CHECK_EQ(m.board, 0u);
        REQUIRE_EQ(machine.registered.size(), 1u);
        CHECK_EQ(machine.registered[0].segment[1].address, reinterpret_cast<uint64_t>(&byte[1]));
        CHECK_EQ(e.attached->request(MYRI_REGISTER, &m, length - 1), -EINVAL); // fewer segments than it says
        m.endpoint = 6;                                                        // not open here
        CHECK_EQ(e.attached->request(MYRI_REGISTER, &m, length), -EINVAL);
        myri_unregister u{0, 5, m.window, m.generation};
        CHECK_EQ(e.attached->request(MYRI_UNREGISTER, &u, sizeof u), 0);
        CHECK_EQ(machine.count("ioctl MYRI_UNREGISTER board 2 endpoint 5"), 1u);
    }
    // Closed by name while its memory is still mapped, then by its file.
    const auto said = machine.said();
    REQUIRE_GE(said.size(), 3u);
    CHECK_EQ(said[said.size() - 3], "ioctl MYRI_ENDPOINT_CLOSE board 2 endpoint 5");
    CHECK_EQ(said[said.size() - 2], "close");
    CHECK_EQ(said[said.size() - 1], "close"); // the board's
    CHECK_EQ(machine.open_files(), 0u);
    CHECK_EQ(lines_of("/proc/self/maps"), 0u);
}

TEST_CASE("a wait with news does not poll") {
    FakeMachine machine;
    machine.nodes[0] = 0;
    OpenEndpoint e(machine);
    machine.wait_answer = 0;
    CHECK_EQ(e.wait(1000), 0);
    machine.wait_answer = -ENODEV;
    CHECK_EQ(e.wait(1000), -ENODEV);
    CHECK_EQ(machine.count("poll"), 0u);
    CHECK_EQ(machine.endpoint_file().events_seen, 7u);
}

TEST_CASE("a wait without news polls device and wake-up together for as long as asked") {
    FakeMachine machine;
    machine.nodes[0] = 0;
    OpenEndpoint e(machine);
    CHECK_EQ(e.wait(1500), -ETIMEDOUT);
    CHECK_EQ(machine.count("poll 2 files 1500 us"), 1u);
    const uint64_t one = 1;
    REQUIRE_EQ(write(e.wakeup, &one, sizeof one), 8);
    CHECK_EQ(e.wait(2500000), -EINTR);
    CHECK_EQ(e.wait(MYRI_ANY), -EINTR);
    CHECK_EQ(machine.said().back(), "poll 2 files"); // for ever
    uint64_t n;
    REQUIRE_EQ(read(e.wakeup, &n, sizeof n), 8);
    machine.revents = POLLIN;
    CHECK_EQ(e.wait(1000), 0);
    for (const short gone : {short{POLLERR}, short{POLLHUP}, short{POLLNVAL}}) {
        machine.revents = gone;
        CHECK_EQ(e.wait(1000), -ENODEV);
    }
    machine.revents = 0;
    // An event that comes while it sleeps ends the sleep.
    std::thread card([&] {
        while (machine.count("poll 2 files 9000000 us") == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        machine.event(FW_EVENT_SLOTS, true);
    });
    CHECK_EQ(e.wait(9000000), 0);
    card.join();
}

TEST_CASE("shutting closes every file, in a forked child too, without touching the endpoint") {
    FakeMachine machine;
    machine.nodes = {{0, 0}, {1, 0}};
    OpenEndpoint e(machine, 1);
    CHECK_EQ(machine.open_files(), 3u);
    const pid_t child = fork();
    if (child == 0) {
        e.attached->shut(true);
        _exit(machine.open_files() == 0 && machine.count("ioctl MYRI_ENDPOINT_CLOSE") == 0 ? 0 : 1);
    }
    int status = 0;
    REQUIRE_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(machine.open_files(), 3u);
}

namespace {
std::string said;
mx_return_t remember(char* text, mx_return_t code) {
    said = text;
    return code;
}
} // namespace

TEST_CASE("an endpoint needs its board in the peer table, which may come later, and a live card") {
    FakeMachine machine;
    machine.nodes[0] = 0;
    machine.in_own_table = false;
    Attached a;
    use_driver(a.driver);
    mx_set_error_handler(remember);
    REQUIRE_EQ(mx_init(), MX_SUCCESS);
    mx_endpoint_t ep = nullptr;
    CHECK_EQ(mx_open_endpoint(0, 3, 7, nullptr, 0, &ep), MX_NIC_NOT_FOUND);
    CHECK(said.find("mx_peers") != std::string::npos);
    CHECK_EQ(machine.open_files(), 1u);
    machine.in_own_table = true;
    machine.open_error = ENODEV;
    CHECK_EQ(mx_open_endpoint(0, 3, 7, nullptr, 0, &ep), MX_NIC_DEAD);
    CHECK(said.find("dead or gone") != std::string::npos);
    machine.open_error = 0;
    CHECK_EQ(mx_open_endpoint(0, 3, 7, nullptr, 0, &ep), MX_SUCCESS);
    CHECK_EQ(mx_finalize(), MX_SUCCESS);
    use_driver(nullptr);
}
