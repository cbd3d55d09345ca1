// SPDX-License-Identifier: BSD-3-Clause
//
// Clients that break the contract: each loses its own connection at worst, and another one goes on.
//
// This program is its own hostile client: a command of a run calls it with --test-suite=... and a test case that is
// skipped otherwise.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "tests/driver/fabric_command.h"
#include "tests/driver/test_client.h"

using namespace myri;
using namespace myri::driver_test;

namespace {

// Runs one of the cases below on n1, with a client on n0 that must not notice. The command ends long after both.
Result beside(const std::string& name) {
    const std::string self = "DRIVER_TEST_INSIDE=1 " + built("tests/driver_run_test") + " --no-skip --test-case='" + name + "' >&2";
    return fabric({"run", "--on", "n0", client("open 5 spend 1000 yield post 5 0 5 fine wait 5"), "--on", "n1",
                   self + "; " + client("spend 10000000 yield")});
}

void survives(const std::string& name, const std::string& said) {
    const Result r = beside(name);
    CHECK_EQ(r.status, 0);
    CHECK_MESSAGE(r.out.find("got fine\n") != std::string::npos, r.err);
    CHECK_MESSAGE(r.said("1 passed | 0 failed"), r.err);
    CHECK_MESSAGE(r.said(said), r.err);
}

myri_frame frame_of(uint32_t request, size_t length) {
    myri_frame frame{};
    frame.request = request;
    frame.length = static_cast<uint32_t>(length);
    return frame;
}

} // namespace

TEST_CASE("another ABI version is told ours and closed") {
    const std::string ours = std::to_string(MYRI_DRIVER_ABI), other = std::to_string(MYRI_DRIVER_ABI + 1);
    const Result r = fabric({"run", "--on", "n0", client("attach " + other)});
    CHECK_EQ(r.out, "attach -71 abi " + ours + " hosts n0 n1\n");
    CHECK_EQ(r.status, 3);
    CHECK(r.said("driver ABI " + other + ", this fabric has " + ours));
}

TEST_CASE("no host, or one that does not exist, gets the list") {
    const std::string ours = std::to_string(MYRI_DRIVER_ABI);
    const Result none = fabric({"run", "--on", "n0", "MYRI_HOST= " + client("attach " + ours)});
    CHECK_EQ(none.out, "attach -2 abi " + ours + " hosts n0 n1\n");
    const Result other = fabric({"run", "--on", "n0", "MYRI_HOST=n7 " + client("attach " + ours)});
    CHECK_EQ(other.out, "attach -2 abi " + ours + " hosts n0 n1\n");
}

TEST_CASE("a process that no command has started cannot attach in virtual time") {
    const Result r = fabric({"run", "--on", "n0", "setsid sh -c '(" + client("now") + " >/tmp/never; echo $? >&2) &'; sleep 0.5"});
    CHECK_MESSAGE(r.said("attach refused"), r.err);
    run({"/bin/rm", "-f", "/tmp/never"});
}

TEST_CASE("random frames before and after attaching stop nobody") { survives("hostile: random frames", ""); }
TEST_CASE("a request while one waits ends the connection") {
    survives("hostile: second request", "only one thread may use the library");
}
TEST_CASE("a clock that goes back is refused") { survives("hostile: clock goes back", "clock"); }
TEST_CASE("stores into somebody else's endpoint end the connection") {
    survives("hostile: foreign store", "which it does not have open");
}
TEST_CASE("wrong descriptors are refused") { survives("hostile: descriptors", "attach refused"); }
TEST_CASE("a client without usable memory gets a bounce area, and windows in it alone") {
    survives("hostile: no memory", "its second descriptor is not /proc/self/mem");
}
TEST_CASE("requests with bad values get an errno") { survives("hostile: values", ""); }
TEST_CASE("a killed client is forgotten at any moment") { survives("hostile: killed anywhere", ""); }

TEST_CASE("hostile: random frames" * doctest::skip()) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; round++) {
        TestClient client;
        std::vector<uint8_t> bytes(1 + random() % 600);
        for (uint8_t& byte : bytes)
            byte = static_cast<uint8_t>(random());
        if (bytes.size() >= sizeof(myri_frame) && round % 2) { // so that some come through to the requests
            const myri_frame frame = frame_of(random() % 16, bytes.size() - sizeof frame);
            std::memcpy(bytes.data(), &frame, sizeof frame);
        }
        client.send_raw(bytes.data(), bytes.size());
        uint8_t body[8];
        const int first = client.receive(body, sizeof body);
        CHECK_NE(first, 0);
        if (first < 0)
            CHECK_EQ(client.receive(body, sizeof body), 1);
    }
    TestClient client;
    REQUIRE_EQ(client.attach(), 0);
    for (int round = 0; round < 300; round++) {
        uint32_t which = random() % 16;
        which = which == MYRI_CLOCK || which == MYRI_DMABENCH ? 99u : which;
        std::vector<uint8_t> body(random() % 3000);
        for (uint8_t& byte : body)
            byte = static_cast<uint8_t>(random() % 3 ? 0 : random());
        const int status = client.request(which, body.data(), body.size());
        CHECK_NE(status, 1);
        REQUIRE(status <= 0);
    }
}

TEST_CASE("hostile: second request" * doctest::skip()) {
    TestClient client;
    REQUIRE_EQ(client.attach(), 0);
    myri_clock park{MYRI_CLOCK_PARK, 0, ~uint64_t{0}, 0};
    uint8_t bytes[sizeof(myri_frame) + sizeof park];
    const myri_frame frame = frame_of(MYRI_CLOCK, sizeof park);
    std::memcpy(bytes, &frame, sizeof frame);
    std::memcpy(bytes + sizeof frame, &park, sizeof park);
    REQUIRE(client.send_raw(bytes, sizeof bytes));
    REQUIRE(client.send_raw(bytes, sizeof bytes));
    CHECK_EQ(client.receive(nullptr, 0), -EBUSY);
    CHECK_EQ(client.receive(nullptr, 0), 1);
}

TEST_CASE("hostile: clock goes back" * doctest::skip()) {
    TestClient client;
    REQUIRE_EQ(client.attach(), 0);
    client.spend(10'000'000);
    REQUIRE_EQ(client.yield(), 0);
    client.spend(~uint64_t{0}); // one back
    CHECK_EQ(client.yield(), -EINVAL);
    client.spend(uint64_t{1} << 63);
    CHECK_EQ(client.yield(), -EINVAL);
    CHECK_EQ(client.yield(), 0);
}

TEST_CASE("hostile: foreign store" * doctest::skip()) {
    TestClient client;
    REQUIRE_EQ(client.attach(), 0);
    Endpoint other{};
    other.info.endpoint = 5;
    const uint64_t value = 1;
    client.store(other, 0, &value, sizeof value);
    CHECK_EQ(client.yield(), 1);
}

TEST_CASE("hostile: descriptors" * doctest::skip()) {
    const int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
    const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
    const int parent = static_cast<int>(syscall(SYS_pidfd_open, getppid(), 0));
    for (const std::vector<int>& fds : {std::vector<int>{}, {pidfd}, {zero, zero}, {parent, zero}, {pidfd, zero, zero}, std::vector<int>(12, zero)}) {
        TestClient client;
        myri_attach attach{};
        attach.abi = MYRI_DRIVER_ABI;
        attach.has_memory = 1;
        std::strcpy(attach.host, "n0");
        const int status = client.request(MYRI_ATTACH, &attach, sizeof attach, fds);
        CHECK((status == -EINVAL || status == -EBADMSG));
        CHECK_EQ(client.receive(nullptr, 0), 1);
    }
    TestClient client; // and a good one is still welcome
    CHECK_EQ(client.attach(), 0);
}

TEST_CASE("hostile: no memory" * doctest::skip()) {
    const int zero = open("/dev/zero", O_RDWR | O_CLOEXEC), pidfd = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
    for (const int memory : {zero, pidfd, -1}) {
        TestClient client; // in virtual time a process is attached once: the one before has gone
        REQUIRE_EQ(client.attach(MYRI_DRIVER_ABI, memory), 0);
        Endpoint endpoint;
        endpoint.info.bounce_bytes = 0xfffff000; // is for the driver to say
        REQUIRE_EQ(client.open(MYRI_ANY, endpoint), 0);
        const uint32_t size = endpoint.info.bounce_bytes, offset = endpoint.info.bounce_offset;
        CHECK(size >= 1u << 20);
        CHECK(size <= FW_WINDOW_MAX);
        CHECK_EQ(offset % 4096, 0u);
        CHECK(offset >= endpoint.info.page_offset + sizeof(myri_host_page));
        CHECK_EQ(endpoint.info.ring_bytes, uint64_t{offset} + size);

        static uint8_t own[4096];
        myri_register reg{};
        reg.endpoint = endpoint.info.endpoint;
        reg.count = 1;
        const auto in_area = [&](uint64_t address, uint64_t length, uint32_t flags = MYRI_REGISTER_WRITABLE) {
            reg.flags = flags | MYRI_REGISTER_BOUNCE;
            reg.segment[0] = {address, length};
            return client.request(MYRI_REGISTER, reg);
        };
        CHECK_EQ(in_area(0, size), 0);
        CHECK_EQ(in_area(size - 1, 1, 0), 0);
        CHECK_EQ(in_area(0, size + 1), -EFAULT);
        CHECK_EQ(in_area(size, 1), -EFAULT);
        CHECK_EQ(in_area(1, size), -EFAULT);
        CHECK_EQ(in_area(~uint64_t{0}, 1), -EFAULT);
        CHECK_EQ(in_area(~uint64_t{0} - 4095, 8192), -EFAULT);
        CHECK_EQ(in_area(0, ~uint64_t{0}), -E2BIG);
        CHECK_EQ(in_area(0, 0), -EINVAL);
        CHECK_EQ(in_area(0, 64, 4), -EINVAL);
        CHECK_EQ(in_area(reinterpret_cast<uint64_t>(own), sizeof own), -EFAULT);
        reg.flags = MYRI_REGISTER_WRITABLE;
        CHECK_EQ(client.request(MYRI_REGISTER, reg), -EOPNOTSUPP);
        reg.endpoint = (endpoint.info.endpoint + 1) % FW_ENDPOINTS;
        CHECK_EQ(in_area(0, 64), -EINVAL);
        CHECK_EQ(client.close(endpoint), 0);
    }
    close(zero);
    close(pidfd);
}

TEST_CASE("hostile: values" * doctest::skip()) {
    TestClient client;
    REQUIRE_EQ(client.attach(), 0);
    Endpoint endpoint;
    REQUIRE_EQ(client.open(MYRI_ANY, endpoint), 0);
    const uint32_t number = endpoint.info.endpoint;

    myri_endpoint_open open{};
    open.endpoint = MYRI_ANY;
    open.event_entries = 65;
    CHECK_EQ(client.request(MYRI_ENDPOINT_OPEN, open), -EINVAL);
    open.event_entries = 0;
    open.send_bytes = 32u << 20;
    CHECK_EQ(client.request(MYRI_ENDPOINT_OPEN, open), -EINVAL);
    open = {};
    open.board = 1;
    CHECK_EQ(client.request(MYRI_ENDPOINT_OPEN, open), -ENODEV);

    static uint8_t memory[8192];
    myri_register reg{};
    reg.endpoint = number;
    reg.count = 1;
    reg.segment[0] = {reinterpret_cast<uint64_t>(memory), sizeof memory};
    CHECK_EQ(client.request(MYRI_REGISTER, reg), 0);
    CHECK_EQ(reg.generation, 1u);
    myri_unregister unregister{0, number, reg.window, 2};
    CHECK_EQ(client.request(MYRI_UNREGISTER, unregister), -EINVAL);
    unregister.generation = 1;
    CHECK_EQ(client.request(MYRI_UNREGISTER, unregister), 0);
    CHECK_EQ(client.request(MYRI_UNREGISTER, unregister), -EINVAL);
    reg.count = 0;
    CHECK_EQ(client.request(MYRI_REGISTER, reg), -EINVAL);
    reg.count = 257;
    CHECK_EQ(client.request(MYRI_REGISTER, reg), -EINVAL);
    reg.count = 1;
    reg.endpoint = (number + 1) % FW_ENDPOINTS;
    CHECK_EQ(client.request(MYRI_REGISTER, reg), -EINVAL);
    reg.endpoint = number;
    reg.segment[0].address = 0;
    CHECK_EQ(client.request(MYRI_REGISTER, reg), -EFAULT);
    reg.flags = MYRI_REGISTER_BOUNCE;
    CHECK_EQ(client.request(MYRI_REGISTER, reg), -EINVAL); // there is no bounce area
    reg.flags = 4;
    CHECK_EQ(client.request(MYRI_REGISTER, reg), -EINVAL);

    myri_dmabench bench{0, 9, 4096, 1, 0, 0, 0};
    CHECK_EQ(client.request(MYRI_DMABENCH, bench), -EINVAL);
    bench = {0, FW_DMABENCH_BOTH, 4096, 32, 0, 0, 0};
    CHECK_EQ(client.request(MYRI_DMABENCH, bench), 0);
    CHECK(bench.cycles > 0);

    myri_peers peers{};
    REQUIRE_EQ(client.request(MYRI_PEERS, peers), 0);
    CHECK_EQ(peers.total, 2u);
    CHECK_EQ(std::string(peers.peer[1].name), "n1:0");
    peers.first = 7;
    CHECK_EQ(client.request(MYRI_PEERS, peers), 0);
    CHECK_EQ(peers.count, 0u);
    peers.first = 0;
    peers.total = peers.count = 1;
    peers.peer[0].route_length = 200;
    CHECK_EQ(client.request(MYRI_SET_PEERS, peers), -EINVAL);
    peers.count = 33;
    CHECK_EQ(client.request(MYRI_SET_PEERS, peers), -EINVAL);

    myri_wait wait{0, number, 0, 0};
    CHECK_EQ(client.request(MYRI_WAIT, wait), -EOPNOTSUPP);
    CHECK_EQ(client.request(77, wait), -EINVAL);
}

// Each child dies after another number of steps, so that death meets every state of a connection.
TEST_CASE("hostile: killed anywhere" * doctest::skip()) {
    for (int steps = 0; steps < 8; steps++) {
        const pid_t pid = fork();
        if (pid == 0) {
            try {
                TestClient client;
                Endpoint endpoint{};
                if (steps > 0)
                    client.attach();
                if (steps > 1)
                    client.open(3, endpoint);
                if (steps > 2)
                    client.post(endpoint, 1, 9, "nobody");
                if (steps > 3)
                    client.yield();
                const myri_frame frame = frame_of(steps > 5 ? MYRI_ENDPOINT_CLOSE : MYRI_ENDPOINT_OPEN, 0);
                if (steps > 4)
                    client.send_raw(&frame, sizeof frame - (steps > 6));
            } catch (const std::exception&) {
            }
            kill(getpid(), SIGKILL);
        }
        int status = 0;
        REQUIRE_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(WTERMSIG(status), SIGKILL);
    }
    TestClient client;
    REQUIRE_EQ(client.attach(), 0);
    Endpoint endpoint;
    CHECK_EQ(client.open(3, endpoint), 0);
}
