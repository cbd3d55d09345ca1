// SPDX-License-Identifier: BSD-3-Clause
//
// A program for the commands of a run: does what its arguments say, one step after another, and prints what comes of
// it. Endpoint numbers in steps are those opened by this program.
//
//   open E  close E  spend NS  yield  park UNTIL_NS PERIOD_NS  post E PEER TO TEXT  wait E  poll E  say TEXT  now
//   die (SIGKILL to itself)  exit N  sleep MS (wall time)  board  reps N E (open and close N times)
//   attach ABI (instead of the usual attach)
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "tests/driver/test_client.h"

using namespace myri::driver_test;

namespace {

struct Arguments {
    int count;
    char** values;
    int at = 1;
    bool more() const { return at < count; }
    std::string text() {
        if (!more())
            throw std::runtime_error("a step lacks an argument");
        return values[at++];
    }
    uint32_t number() { return static_cast<uint32_t>(std::stoul(text())); }
    uint64_t time() {
        const std::string t = text();
        return t == "never" ? ~uint64_t{0} : std::stoull(t) * 1000;
    }
};

void print(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

int go(Arguments a) {
    TestClient client;
    std::map<uint32_t, Endpoint> open;
    if (a.more() && std::string(a.values[a.at]) == "attach") {
        a.at++;
        const int status = client.attach(a.number());
        print(fmt::format("attach {} abi {} hosts {}", status, client.attached.abi, client.attached.hosts));
        if (status)
            return client.receive(nullptr, 0) == 1 ? 3 : 4; // 3: and it was closed
    } else if (const int status = client.attach()) {
        print(fmt::format("attach {}", status));
        return 1;
    }
    const bool is_virtual = client.attached.time == MYRI_TIME_VIRTUAL;
    while (a.more()) {
        const std::string step = a.text();
        if (step == "open") {
            const uint32_t e = a.number();
            const int status = client.open(e, open[e]);
            print(fmt::format("open {}: {} session {:08x}", e, status, open[e].info.session));
        } else if (step == "close") {
            const uint32_t e = a.number();
            print(fmt::format("close {}: {}", e, client.close(open[e])));
            open.erase(e);
        } else if (step == "reps") {
            const uint32_t n = a.number(), e = a.number();
            uint32_t bad = 0;
            for (uint32_t i = 0; i < n; i++) {
                Endpoint endpoint;
                bad += client.open(e, endpoint) != 0 || client.close(endpoint) != 0;
            }
            print(fmt::format("reps: {} bad", bad));
        } else if (step == "spend") {
            client.spend(a.time());
        } else if (step == "yield") {
            client.yield();
        } else if (step == "park") {
            const uint64_t until = a.time(), period = a.time();
            client.park(until, period);
        } else if (step == "post") {
            const uint32_t e = a.number(), peer = a.number(), to = a.number();
            client.post(open[e], peer, to, a.text());
        } else if (step == "wait") {
            Endpoint& e = open[a.number()];
            std::string body;
            while (!client.poll(e, body)) {
                if (is_virtual) {
                    client.park(~uint64_t{0}, client.attached.costs.poll);
                } else {
                    myri_wait wait{0, e.info.endpoint, e.events, 1000};
                    client.request(MYRI_WAIT, wait);
                }
            }
            print("got " + body);
        } else if (step == "poll") {
            std::string body;
            print(client.poll(open[a.number()], body) ? "got " + body : "nothing");
        } else if (step == "say") {
            print(a.text());
        } else if (step == "now") {
            print(fmt::format("now {}.{:03} ns", client.now() / 1000, client.now() % 1000));
        } else if (step == "board") {
            myri_board_info info{};
            const int status = client.request(MYRI_BOARD_INFO, info);
            print(fmt::format("board: {} {} {} mac {:012x} peers {} open {}", status, info.hostname, info.product_code,
                              info.mac, info.peer_count, info.endpoints_open));
        } else if (step == "sleep") {
            usleep(a.number() * 1000);
        } else if (step == "die") {
            kill(getpid(), SIGKILL);
        } else if (step == "exit") {
            return static_cast<int>(a.number());
        } else {
            throw std::runtime_error("unknown step " + step);
        }
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return go({argc, argv});
    } catch (const std::exception& error) {
        fmt::print(stderr, "client: {}\n", error.what());
        return 99;
    }
}
