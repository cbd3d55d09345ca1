// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

#include <unistd.h>

#include "tools/failure.h"
#include "tools/length_sequence.h"

using namespace myri::tools;
using Lengths = std::vector<uint32_t>;

TEST_CASE("without options: 0 to 127 in steps of 1") {
    Lengths lengths = lengths_of({});
    REQUIRE_EQ(lengths.size(), 128u);
    for (uint32_t i = 0; i < 128; i++)
        CHECK_EQ(lengths[i], i);
}

TEST_CASE("the end is exclusive") {
    CHECK_EQ(lengths_of({.start = 4, .end = 8, .increment = 2}), Lengths{4, 6});
    CHECK_EQ(lengths_of({.start = 4, .end = 9, .increment = 2}), Lengths{4, 6, 8});
    CHECK_EQ(lengths_of({.start = 8, .end = 8}), Lengths{});
}

TEST_CASE("a step that does not grow adds 1") {
    CHECK_EQ(lengths_of({.start = 0, .end = 17, .multiplier = 2}), Lengths{0, 1, 2, 4, 8, 16});
    CHECK_EQ(lengths_of({.start = 0, .end = 8, .multiplier = 1.5}), Lengths{0, 1, 2, 3, 4, 6});
    CHECK_EQ(lengths_of({.start = 5, .end = 8, .multiplier = 1}), Lengths{5, 6, 7});
    CHECK_EQ(lengths_of({.start = 5, .end = 8, .multiplier = 0.5}), Lengths{5, 6, 7});
    CHECK_EQ(lengths_of({.start = 5, .end = 8, .increment = 0}), Lengths{5, 6, 7});
}

TEST_CASE("the multiplier overrides the increment") {
    CHECK_EQ(lengths_of({.start = 3, .end = 30, .increment = 5, .multiplier = 3}), Lengths{3, 9, 27});
}

TEST_CASE("lengths end at the longest message of MX") {
    CHECK_EQ(lengths_of({.start = 0xfffffffe, .end = 0x100000000}), Lengths{0xfffffffe, 0xffffffff});
    CHECK_EQ(lengths_of({.start = 0xffffffff, .end = 0x100000000, .multiplier = 1e9}), Lengths{0xffffffff});
}

TEST_CASE("a file of lengths") {
    char path[] = "/tmp/lengths-XXXXXX";
    REQUIRE(mkstemp(path) >= 0);
    std::ofstream(path) << "10 20\n# comment\n0 # rest\n4294967295\n";
    CHECK_EQ(lengths_in_file(path), Lengths{10, 20, 0, 0xffffffff});
    for (const char* bad : {"1\n2x\n", "1\n-2\n", "1\n4294967296\n"}) {
        std::ofstream(path) << bad;
        CHECK_THROWS_WITH(lengths_in_file(path), doctest::Contains(":2: "));
    }
    std::ofstream(path) << "# nothing\n";
    CHECK_THROWS_AS(lengths_in_file(path), Failure);
    unlink(path);
    CHECK_THROWS_WITH(lengths_in_file(path), doctest::Contains("No such file"));
}
