// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "emulator/driver/virtual_process.h"

using namespace myri::emulator;
using State = VirtualProcess::State;

namespace {

void run_events(Scheduler& scheduler) {
    while (scheduler.next() != NEVER)
        scheduler.run_next();
}

} // namespace

TEST_CASE("a parked process resumes at its first poll at or after the change") {
    struct Row {
        Time change, resumes;
    };
    // Parked at 1000 with a poll every 40: polls at 1000, 1040, 1080, ...
    for (const Row& row : {Row{1001, 1040}, {1040, 1040}, {1041, 1080}, {990, 1000}, {1000, 1000}, {5000, 5000}}) {
        Scheduler scheduler;
        VirtualProcess p(scheduler, 0, 0);
        p.handed_over(1000);
        p.park(NEVER, 40);
        CHECK(p.clock() == NEVER);
        p.ring_changed(row.change);
        CHECK(p.state() == State::ready);
        CHECK_EQ(p.clock(), row.resumes);
    }
}

TEST_CASE("a parked process resumes at its limit, whatever the poll phase") {
    Scheduler scheduler;
    VirtualProcess p(scheduler, 0, 0);
    p.handed_over(1000);
    p.park(1030, 40);
    CHECK(p.clock() == NEVER);
    SUBCASE("without a change") {}
    SUBCASE("with a change that it would poll later") { p.ring_changed(1010); }
    run_events(scheduler);
    CHECK(p.state() == State::ready);
    CHECK_EQ(p.clock(), 1030u);
}

TEST_CASE("a change in time takes the limit away") {
    Scheduler scheduler;
    VirtualProcess p(scheduler, 0, 0);
    p.handed_over(1000);
    p.park(5000, 40);
    p.ring_changed(1100);
    CHECK_EQ(scheduler.pending(), 0u);
    CHECK_EQ(p.clock(), 1120u);
    p.ring_changed(1100); // a second one is no news
    CHECK_EQ(p.clock(), 1120u);
}

TEST_CASE("a limit in the past and a period of 0 mean at once") {
    Scheduler scheduler;
    VirtualProcess p(scheduler, 0, 0);
    p.handed_over(1000);
    p.park(10, 40);
    run_events(scheduler);
    CHECK_EQ(p.clock(), 1000u);
    p.handed_over(2000);
    p.park(NEVER, 0);
    p.ring_changed(2001);
    CHECK_EQ(p.clock(), 2001u);
}

TEST_CASE("waiting for the driver bounds nobody, and changes of rings do not end it") {
    Scheduler scheduler;
    VirtualProcess p(scheduler, 0, 500);
    p.handed_over(1000);
    CHECK(p.clock() == NEVER);
    p.ring_changed(1500);
    CHECK(p.clock() == NEVER);
    p.ready(1800);
    CHECK_EQ(p.clock(), 1800u);
}

TEST_CASE("a process that goes away while parked leaves no event") {
    Scheduler scheduler;
    {
        VirtualProcess p(scheduler, 0, 0);
        p.handed_over(1000);
        p.park(5000, 40);
        CHECK_EQ(scheduler.pending(), 1u);
    }
    CHECK_EQ(scheduler.pending(), 0u);
}
