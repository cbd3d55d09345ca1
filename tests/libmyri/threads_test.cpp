// SPDX-License-Identifier: BSD-3-Clause
// Several threads in one endpoint, in real time: over a driver whose card never says anything.
#include <doctest/doctest.h>

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "abi/firmware.h"
#include "libmyri/library.h"
#include "mx_extensions.h"

namespace {

constexpr uint64_t mac = 0x0060dd112233;

class QuietDriver final : public myri::Driver {
public:
    std::atomic<unsigned> waits{0}, inside{0};
    bool shut_with_waiters = false;

    QuietDriver() {
        attached.boards = 1;
        attached.time = MYRI_TIME_FREE;
    }
    int request(uint32_t request, void* structure, size_t) override {
        if (request == MYRI_BOARD_INFO) {
            auto* info = static_cast<myri_board_info*>(structure);
            info->mac = mac;
            info->ports = info->peer_count = 1;
            info->endpoints = FW_ENDPOINTS;
        } else if (request == MYRI_PEERS) {
            auto* p = static_cast<myri_peers*>(structure);
            p->total = 1;
            p->count = p->first == 0;
            p->peer[0].mac = mac;
            std::strcpy(p->peer[0].name, "here:0");
        }
        return 0;
    }
    int open(myri_endpoint_open& o, myri::EndpointMemory& memory) override {
        constexpr uint32_t entries = 256, bytes = 64 << 10;
        rings.assign(entries * FW_EVENT_SIZE + 2 * bytes + 4096, 0);
        window.assign(FW_ENDPOINT_WINDOW_SIZE, 0);
        o.endpoint = 0;
        o.session = 1;
        o.event_entries = entries;
        o.receive_offset = entries * FW_EVENT_SIZE;
        o.receive_bytes = o.send_bytes = bytes;
        o.send_offset = o.receive_offset + bytes;
        memory.rings = rings.data();
        memory.window = window.data();
        return 0;
    }
    void close(const myri_endpoint_ref&, myri::EndpointMemory& memory) override {
        shut_with_waiters |= inside != 0;
        memory = myri::EndpointMemory{};
    }
    int wait(const myri_wait& wait, int wakeup_fd, bool background) override {
        waits += !background;
        inside += !background;
        pollfd p{wakeup_fd, POLLIN, 0};
        const int ready = poll(&p, 1, static_cast<int>(wait.timeout_us / 1000 + 1));
        inside -= !background;
        return ready ? -EINTR : -ETIMEDOUT;
    }

private:
    std::vector<uint8_t> rings, window;
};

struct Library {
    QuietDriver driver;
    mx_endpoint_t ep = nullptr;
    mx_endpoint_addr_t self{};
    bool open = true;
    Library() {
        myri::use_driver(&driver);
        mx_set_error_handler(MX_ERRORS_RETURN);
        REQUIRE_EQ(mx_init(), MX_SUCCESS);
        REQUIRE_EQ(mx_open_endpoint(0, 0, 7, nullptr, 0, &ep), MX_SUCCESS);
        REQUIRE_EQ(mx_get_endpoint_addr(ep, &self), MX_SUCCESS);
    }
    void finalize() {
        open = false;
        CHECK_EQ(mx_finalize(), MX_SUCCESS);
    }
    ~Library() {
        if (open)
            mx_finalize();
        myri::use_driver(nullptr);
    }
    void until_asleep(unsigned threads) const {
        while (driver.inside != threads)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
};

using Clock = std::chrono::steady_clock;

} // namespace

TEST_CASE("a blocked thread is woken by what another thread's call completes") {
    Library l;
    char got = 0, byte = 'x';
    mx_segment_t to{&got, 1}, from{&byte, 1};
    mx_request_t receive = nullptr, send = nullptr;
    REQUIRE_EQ(mx_irecv(l.ep, &to, 1, 5, ~0ull, nullptr, &receive), MX_SUCCESS);
    uint32_t received = 0, probed = 0;
    mx_status_t status{}, seen{};
    std::thread waiter([&] { mx_wait(l.ep, &receive, 5000, &status, &received); });
    std::thread prober([&] { mx_probe(l.ep, 5000, 6, ~0ull, &seen, &probed); });
    l.until_asleep(2);
    const auto before = Clock::now();
    REQUIRE_EQ(mx_isend(l.ep, &from, 1, l.self, 5, nullptr, &send), MX_SUCCESS);
    waiter.join();
    REQUIRE_EQ(mx_isend(l.ep, &from, 1, l.self, 6, nullptr, nullptr), MX_SUCCESS);
    prober.join();
    CHECK_EQ(received, 1u);
    CHECK_EQ(status.code, MX_STATUS_SUCCESS);
    CHECK_EQ(got, 'x');
    CHECK_EQ(probed, 1u);
    CHECK(Clock::now() - before < std::chrono::seconds(1));
}

TEST_CASE("threads that block on one endpoint sleep, also after one of them was woken") {
    Library l;
    char byte = 0;
    mx_segment_t s{&byte, 1};
    std::vector<std::thread> threads;
    std::atomic<unsigned> results{0};
    mx_request_t requests[3];
    for (unsigned i = 0; i < 3; ++i) {
        REQUIRE_EQ(mx_irecv(l.ep, &s, 1, i, ~0ull, nullptr, &requests[i]), MX_SUCCESS);
        threads.emplace_back([&, i] {
            mx_status_t status;
            uint32_t result = 0;
            mx_wait(l.ep, &requests[i], 0, &status, &result);
            results += result;
        });
    }
    l.until_asleep(3);
    REQUIRE_EQ(mx_isend(l.ep, &s, 1, l.self, 0, nullptr, nullptr), MX_SUCCESS);
    threads[0].join();
    l.until_asleep(2);
    const unsigned before = l.driver.waits;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(l.driver.waits - before <= 4u);
    REQUIRE_EQ(mx_wakeup(l.ep), MX_SUCCESS);
    threads[1].join();
    threads[2].join();
    CHECK_EQ(results, 1u);
}

TEST_CASE("finalizing lets the threads inside an endpoint leave first") {
    Library l;
    char byte = 0;
    mx_segment_t s{&byte, 1};
    mx_request_t request = nullptr;
    REQUIRE_EQ(mx_irecv(l.ep, &s, 1, 1, ~0ull, nullptr, &request), MX_SUCCESS);
    uint32_t result = 7;
    std::thread waiter([&] {
        mx_status_t status;
        mx_wait(l.ep, &request, 0, &status, &result);
    });
    l.until_asleep(1);
    l.finalize();
    waiter.join();
    CHECK_EQ(result, 0u);
    CHECK_FALSE(l.driver.shut_with_waiters);
    CHECK_EQ(mx_progress(l.ep), MX_NOT_INITIALIZED);
}
