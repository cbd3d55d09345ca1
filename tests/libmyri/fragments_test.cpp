// SPDX-License-Identifier: BSD-3-Clause
//
// How a medium message is cut.
#include <doctest/doctest.h>

#include "libmyri/fragments.h"

using namespace myri;

TEST_CASE("a message alone is cut into the smallest fragments that are at most eight, one behind others into 4 KiB") {
    struct Row {
        uint32_t length;
        bool alone;
        unsigned size, count, last;
    };
    const Row rows[] = {
        {129, true, 1024, 1, 129},     {1024, true, 1024, 1, 1024},   {1025, true, 1024, 2, 1},
        {8192, true, 1024, 8, 1024},   {8193, true, 2048, 5, 1},      {16384, true, 2048, 8, 2048},
        {16385, true, 4096, 5, 1},     {32768, true, 4096, 8, 4096},  {129, false, 4096, 1, 129},
        {4096, false, 4096, 1, 4096},  {4097, false, 4096, 2, 1},     {32767, false, 4096, 8, 4095},
    };
    for (const Row& row : rows) {
        CAPTURE(row.length);
        CAPTURE(row.alone);
        const unsigned shift = fragment_shift(row.length, row.alone);
        CHECK((1u << shift) == row.size);
        REQUIRE(fragment_count(row.length, shift) == row.count);
        CHECK(fragment_bytes(row.length, shift, row.count - 1) == row.last);
        for (unsigned n = 0; n + 1 < row.count; n++)
            CHECK(fragment_bytes(row.length, shift, n) == row.size);
    }
}
