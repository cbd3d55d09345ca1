// SPDX-License-Identifier: BSD-3-Clause
//
// Fabrics that run free: `run --free`, `start` and `stop`.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/driver/fabric_command.h"
#include "tests/driver/test_client.h"

using namespace myri::driver_test;

namespace {

bool has(const Result& r, const std::string& text) { return r.out.find(text) != std::string::npos; }

// A started fabric, stopped again at the end.
struct Started {
    std::string path, variable;
    Started() {
        const Result r = fabric({"start"});
        REQUIRE_MESSAGE(r.status == 0, r.err);
        REQUIRE_EQ(r.out.rfind("export MYRI_FABRIC=", 0), 0u);
        path = r.out.substr(19, r.out.size() - 20);
        variable = "MYRI_FABRIC=" + path;
    }
    ~Started() { CHECK_EQ(fabric({"stop"}).status, 0); }
    Result on(const std::string& host, const std::string& steps) const {
        return run({"/bin/sh", "-c", "MYRI_HOST=" + host + " " + client(steps)}, {variable});
    }
};

// The fabric that listens at a socket.
pid_t listener(const std::string& path) {
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    ucred peer{};
    socklen_t length = sizeof peer;
    const bool there = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                       getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0;
    close(fd);
    REQUIRE(there);
    return peer.pid;
}

// CPU time of a process in clock ticks.
long cpu_ticks(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string field;
    for (int n = 0; n < 11; n++)
        fields >> field;
    long user = 0, system = 0;
    fields >> user >> system;
    return user + system;
}

} // namespace

TEST_CASE("a message passes while running free") {
    const Result r = fabric({"run", "--free", "--on", "n0", client("open 2 wait 2 post 2 1 5 pong sleep 200"), "--on",
                             "n1", client("open 5 sleep 300 post 5 0 2 ping wait 5")});
    CHECK_EQ(r.status, 0);
    CHECK_MESSAGE(has(r, "got ping\n"), r.out);
    CHECK_MESSAGE(has(r, "got pong\n"), r.out);
    CHECK(traces().empty());
}

TEST_CASE("a started fabric serves one process after another until it is stopped") {
    {
        const Started fabric_here;
        CHECK(has(fabric_here.on("n0", "open 1 board"), "board: 0 n0"));
        CHECK(has(fabric_here.on("n1", "reps 100 1"), "reps: 0 bad\n"));
        const Result echo = fabric_here.on("n1", "open 1 post 1 1 1 self wait 1");
        CHECK(has(echo, "got self\n"));
        CHECK(has(fabric_here.on("n1", "open 1 die"), "open 1: 0"));
        CHECK(has(fabric_here.on("n1", "open 1"), "open 1: 0"));
        // The usual place is taken.
        const Result second = fabric({"start"});
        CHECK_EQ(second.status, 1);
        CHECK(second.said("listens there already"));
    }
    CHECK(traces().empty());
    const Result none = fabric({"stop"});
    CHECK_EQ(none.status, 1);
    CHECK(none.said("no fabric listens"));
}

TEST_CASE("an idle fabric uses less than one percent of a processor, even with an endpoint open") {
    const Started fabric_here;
    const pid_t pid = listener(fabric_here.path);
    const pid_t holder = fork();
    if (holder == 0) {
        fabric_here.on("n0", "open 1 sleep 3000");
        _exit(0);
    }
    usleep(500'000);
    const long before = cpu_ticks(pid);
    usleep(2'000'000);
    const long ticks = cpu_ticks(pid) - before;
    waitpid(holder, nullptr, 0);
    CHECK_MESSAGE(ticks <= 2, ticks); // 2 s are 200 ticks
}

TEST_CASE("a process cannot shrink what it maps, and waits end in time") {
    const Started fabric_here;
    setenv("MYRI_FABRIC", fabric_here.path.c_str(), 1);
    setenv("MYRI_HOST", "n0", 1);
    {
        TestClient client;
        REQUIRE_EQ(client.attach(), 0);
        Endpoint endpoint;
        REQUIRE_EQ(client.open(3, endpoint), 0);
        REQUIRE_EQ(client.received.size(), 2u);
        CHECK_NE(ftruncate(client.received[0], 0), 0);
        CHECK_NE(ftruncate(client.received[1], 0), 0);
        const auto begin = std::chrono::steady_clock::now();
        myri_wait wait{0, 3, 0, 50'000};
        CHECK_EQ(client.request(MYRI_WAIT, wait), -ETIMEDOUT);
        const auto took = std::chrono::steady_clock::now() - begin;
        CHECK(took >= std::chrono::milliseconds(50));
        CHECK(took < std::chrono::milliseconds(1000));
        client.post(endpoint, 0, 3, "here");
        wait.timeout_us = MYRI_ANY;
        CHECK_EQ(client.request(MYRI_WAIT, wait), 0);
        myri_clock clock{MYRI_CLOCK_YIELD, 0, 0, 0};
        CHECK_EQ(client.request(MYRI_CLOCK, clock), -EOPNOTSUPP);
        CHECK_EQ(client.close(endpoint), 0);
    }
    unsetenv("MYRI_FABRIC");
    unsetenv("MYRI_HOST");
}

TEST_CASE("errors of start reach the terminal") {
    const Result r = fabric({"start", "--card", "nocard"});
    CHECK_EQ(r.status, 1);
    CHECK(r.said("nocard.json"));
    CHECK(fabric({"start", "--socket", "/nonexistent/x"}).status == 1);
    CHECK(fabric({"start", "--socket", "/dev/null"}).said("something else has this name"));
    CHECK(traces().empty());
}

TEST_CASE("a socket that a killed fabric has left is replaced") {
    const Result first = fabric({"start"});
    REQUIRE_EQ(first.status, 0);
    const std::string path = first.out.substr(19, first.out.size() - 20);
    REQUIRE_EQ(kill(listener(path), SIGKILL), 0);
    usleep(100'000);
    CHECK_FALSE(traces().empty());
    CHECK_EQ(fabric({"start"}).status, 0);
    CHECK_EQ(fabric({"stop"}).status, 0);
    CHECK(traces().empty());
}
