// SPDX-License-Identifier: BSD-3-Clause
// Waiting for a card that interrupts: what it is told before a call sleeps, and that a polling program is left alone.
#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "libmyri/library.h"
#include "mx_extensions.h"
#include "tests/libmyri/fake_device.h"

using namespace myri::test;
using namespace std::chrono_literals;

namespace {

struct Library {
    FakeMachine machine;
    myri::Driver* driver = nullptr;
    mx_endpoint_t ep = nullptr;
    mx_request_t request = nullptr; // a receive that nothing matches
    char byte = 0;

    explicit Library(bool progress_thread) {
        machine.nodes[0] = 0;
        setenv("MX_MONOTHREAD", progress_thread ? "0" : "1", 1);
        int status = 1;
        myri::AttachFailure failure;
        driver = myri::attach_devices(FakeMachine::calls, status, failure);
        REQUIRE_EQ(status, 0);
        myri::use_driver(driver);
        mx_set_error_handler(MX_ERRORS_RETURN);
        REQUIRE_EQ(mx_init(), MX_SUCCESS);
        REQUIRE_EQ(mx_open_endpoint(0, 0, 7, nullptr, 0, &ep), MX_SUCCESS);
        mx_segment_t s{&byte, 1};
        REQUIRE_EQ(mx_irecv(ep, &s, 1, 1, ~0ull, nullptr, &request), MX_SUCCESS);
    }
    ~Library() {
        mx_finalize();
        driver->shut(false);
        myri::use_driver(nullptr);
    }

    bool test() {
        mx_status_t status;
        uint32_t result = 0;
        REQUIRE_EQ(mx_test(ep, &request, &status, &result), MX_SUCCESS);
        return result;
    }
    const fw_endpoint_window& window() { return *reinterpret_cast<const fw_endpoint_window*>(machine.window()); }
    uint32_t wake_after() { return be32_to_cpu(window().wake_after_us); }
    uint32_t consumed() { return be32_to_cpu(window().events_consumed); }
    template <class Done> static bool within(std::chrono::milliseconds limit, Done done) {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (!done()) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
};

} // namespace

TEST_CASE("a call that blocks asks for interrupts and tells what it has read before it looks and sleeps") {
    Library l(false);
    const uint32_t patience = l.wake_after();
    CHECK_GE(patience, 1000u);
    CHECK_NE(patience, FW_WAKE_NEVER);
    uint32_t result = 7;
    std::thread waiter([&] {
        mx_status_t status;
        mx_wait(l.ep, &l.request, 20000, &status, &result);
    });
    REQUIRE(Library::within(5s, [&] { return l.machine.count("poll") == 1; }));
    CHECK_EQ(l.wake_after(), 0u);
    for (uint32_t events = 1; events <= 3; ++events) {
        l.machine.event(FW_EVENT_SLOTS, true);
        REQUIRE(Library::within(5s, [&] { return l.machine.count("poll") == events + 1; }));
    }
    const auto looks = l.machine.looks();
    REQUIRE_EQ(looks.size(), 4u);
    for (uint32_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        CHECK_EQ(looks[i].events_seen, i);
        CHECK_EQ(looks[i].events_consumed, i);
        CHECK_EQ(looks[i].wake_after_us, 0u);
    }
    CHECK_EQ(mx_wakeup(l.ep), MX_SUCCESS);
    waiter.join();
    CHECK_EQ(result, 0u);
    CHECK_EQ(l.wake_after(), patience);
}

TEST_CASE("a program that polls makes no system call, and the card hears in time what it has read") {
    Library l(false);
    const size_t before = l.machine.said().size();
    const uint32_t patience = l.wake_after();
    for (uint32_t events = 1; events <= 20; ++events) {
        l.machine.event(FW_EVENT_SLOTS, false);
        const auto told_by = std::chrono::steady_clock::now() + 500us;
        while (std::chrono::steady_clock::now() < told_by)
            REQUIRE_FALSE(l.test());
        CHECK_EQ(l.consumed(), events);
    }
    CHECK_EQ(l.machine.said().size(), before);
    CHECK_EQ(l.wake_after(), patience);
}

TEST_CASE("the progress thread lets events lie for 1 ms, and is woken for those that nobody reads") {
    Library l(true);
    CHECK_EQ(l.wake_after(), 1000u);
    l.machine.event(FW_EVENT_SLOTS, true);
    CHECK(Library::within(2s, [&] { return l.consumed() == 1; }));
    CHECK_EQ(l.wake_after(), 1000u);
}

TEST_CASE("waiting for a card that is gone does not spin") {
    for (const bool progress_thread : {false, true}) {
        Library l(progress_thread);
        l.machine.wait_answer = -ENODEV;
        const size_t before = l.machine.looks().size();
        const auto start = std::chrono::steady_clock::now();
        mx_status_t status;
        uint32_t result = 7;
        CHECK_EQ(mx_wait(l.ep, &l.request, 300, &status, &result), MX_SUCCESS);
        CHECK_EQ(result, 0u);
        CHECK_GE(std::chrono::steady_clock::now() - start, 300ms);
        CHECK_LE(l.machine.looks().size() - before, 320u);
    }
}
