// SPDX-License-Identifier: BSD-3-Clause
//
// Virtual time as processes see it.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/driver/fabric_command.h"

using namespace myri::driver_test;

TEST_CASE("time begins at 0 after boot, and stands until every command has attached or ended") {
    const Result r = fabric({"run", "--on", "n0", client("now"), "--on", "n1", "sleep 0.3; " + client("now")});
    CHECK_EQ(r.out, "now 0.000 ns\nnow 0.000 ns\n");
}

TEST_CASE("a yield goes on at the time it names") {
    CHECK_EQ(fabric({"run", "--on", "n0", client("spend 12345 yield now spend 5 yield now")}).out,
             "now 12345.000 ns\nnow 12350.000 ns\n");
}

TEST_CASE("yields that do not advance cannot stop the others") {
    CHECK_EQ(fabric({"run", "--on", "n0", client("now"), "--on", "n1", client("yield yield yield now")}).out,
             "now 0.000 ns\nnow 0.003 ns\n");
}

TEST_CASE("a park ends at its limit") {
    CHECK_EQ(fabric({"run", "--on", "n0", client("spend 100 park 5000 40 now")}).out, "now 5000.000 ns\n");
}

TEST_CASE("a command holds time at its last program's clock until it ends") {
    // n1 is ready at 8000 ns long before n0's shell has slept, but n0 stands at 3000 ns.
    const Result r =
        fabric({"run", "--on", "n0", client("spend 3000 yield say first") + "; sleep 0.3; echo shell; " + client("now"),
                "--on", "n1", client("spend 8000 yield say later")});
    CHECK_EQ(r.out, "first\nshell\nnow 3000.000 ns\nlater\n");
}

TEST_CASE("a parked process resumes at its own poll instants") {
    // n1 parks at a known time; the message comes sometime later; it resumes at a whole number of polls.
    const Result r = fabric({"run", "--on", "n0", client("open 1 spend 200000 yield post 1 1 1 wake spend 100000 yield"), "--on", "n1",
                             client("open 1 spend 100000 yield now park never 777 now poll 1")});
    double before = 0, after = 0;
    REQUIRE(r.out.find("now ") != r.out.rfind("now "));
    REQUIRE_EQ(std::sscanf(r.out.c_str() + r.out.find("now "), "now %lf ns", &before), 1);
    REQUIRE_EQ(std::sscanf(r.out.c_str() + r.out.rfind("now "), "now %lf ns", &after), 1);
    CHECK(after > before + 100'000);
    const auto picoseconds = static_cast<uint64_t>((after - before) * 1000 + 0.5);
    CHECK_EQ(picoseconds % 777'000, 0u);
    CHECK(r.out.find("got wake\n") != std::string::npos);
}

TEST_CASE("when all wait for ever the run ends and says who waits") {
    const Result r = fabric({"run", "--on", "n0", client("open 1 wait 1"), "--on", "n1", client("open 1 wait 1")});
    CHECK_EQ(r.status, 1);
    CHECK_MESSAGE(r.said("all wait"), r.err);
    CHECK(r.said("n0: client (pid "));
    CHECK(r.said("n1: client (pid "));
}

TEST_CASE("skipping idle passes changes nothing that a process can see") {
    const auto once = [](const std::string& skipping) {
        return fabric({"run", "--idle-skipping", skipping, "--on", "n0",
                       client("open 3 spend 10000 yield post 3 1 3 ping wait 3 now"), "--on", "n1",
                       client("open 3 wait 3 post 3 0 3 pong now")});
    };
    const Result on = once("on"), off = once("off");
    CHECK_EQ(on.status, 0);
    CHECK_EQ(on.out, off.out);
}
