// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoints through the driver: opening, closing, and processes that die.
#include <doctest/doctest.h>

#include "tests/driver/fabric_command.h"

using namespace myri::driver_test;

namespace {

bool has(const Result& r, const std::string& text) { return r.out.find(text) != std::string::npos; }

} // namespace

TEST_CASE("a message goes from one host to another and to the same host") {
    const Result r = fabric({"run", "--on", "n0", client("open 2 post 2 1 5 across wait 2"), "--on", "n1",
                             client("open 5 wait 5 post 5 1 5 itself wait 5 post 5 0 2 back")});
    CHECK_EQ(r.status, 0);
    CHECK_MESSAGE(has(r, "got across\n"), r.out);
    CHECK(has(r, "got itself\n"));
}

TEST_CASE("an endpoint opens and closes a hundred times") {
    const Result r = fabric({"run", "--on", "n0", client("reps 100 4 board")});
    CHECK(has(r, "reps: 0 bad\n"));
    CHECK(has(r, "open 0\n"));
}

TEST_CASE("an endpoint in use is EBUSY, a number that does not exist EINVAL") {
    const Result r = fabric({"run", "--on", "n0", client("open 1 open 1 open 32 close 1 close 1 open 1")});
    CHECK(has(r, "open 1: 0 session"));
    CHECK(has(r, "open 1: -16 session"));
    CHECK(has(r, "open 32: -22 session"));
    CHECK(has(r, "close 1: 0\n"));
}

TEST_CASE("each opening has another session") {
    const Result r = fabric({"run", "--on", "n0", client("open 1 close 1 open 1")});
    const auto first = r.out.find("session "), second = r.out.rfind("session ");
    REQUIRE(first != second);
    CHECK_NE(r.out.substr(first, 16), r.out.substr(second, 16));
}

TEST_CASE("the endpoint of a killed process can be opened at once") {
    // The first program dies with two endpoints open, one of them with a message under way.
    const std::string shell = client("open 6 open 7 post 7 1 0 last die") + "; " + client("open 6 open 7 board");
    const Result r = fabric({"run", "--on", "n0", shell});
    CHECK_EQ(r.status, 0);
    CHECK(has(r, "open 6: 0 session"));
    CHECK(has(r, "open 7: 0 session"));
    CHECK_FALSE(has(r, "-16"));
    CHECK(has(r, "peers 2 open 2\n"));
}

TEST_CASE("what a process stored just before it died still leaves") {
    // Between the two messages it hands nothing over; the second one may be overtaken by the close.
    const Result r = fabric({"run", "--on", "n0",
                             client("open 2 spend 100000 yield post 2 1 5 farewell spend 50000 post 2 1 5 late die"),
                             "--on", "n1", client("open 5 wait 5")});
    CHECK_EQ(r.status, 0);
    CHECK(has(r, "got farewell\n"));
}

TEST_CASE("the other host goes on when a process dies while it is parked") {
    // The second program of n0 kills the first, which waits for ever.
    const std::string shell = client("open 1 wait 1") + " & " + client("sleep 300") + "; kill -9 $!; wait; " +
                              client("open 1 post 1 1 5 free");
    const Result r = fabric({"run", "--on", "n0", shell, "--on", "n1", client("open 5 wait 5")});
    CHECK_EQ(r.status, 0);
    CHECK(has(r, "got free\n"));
}

TEST_CASE("stores between two barriers may come in any order") {
    for (const char* seed : {"1", "2", "3"}) {
        const Result r =
            fabric({"run", "--shuffle-stores", "--seed", seed, "--on", "n0",
                    client("open 2 post 2 1 5 0123456789012345678901234567890123456789 post 2 1 5 second "
                           "spend 100000 yield"), "--on", "n1",
                    client("open 5 wait 5 wait 5")});
        CHECK_EQ(r.status, 0);
        CHECK(has(r, "got 0123456789012345678901234567890123456789\ngot second\n"));
    }
}
