// SPDX-License-Identifier: BSD-3-Clause
// What happens when something is refused, silent, late or full: over a fake card, in virtual time.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "tests/libmyri/pair.h"

using namespace myri::test;

TEST_CASE("the library's own memory is never taken for a user's buffer that was there before") {
    Pair p;
    auto& cache = reinterpret_cast<myri::Endpoint*>(p.b)->registrations;
    Bytes users(100000);
    mx_segment_t s{users.data(), static_cast<uint32_t>(users.size())};
    myri::Segments buffer;
    buffer.set(&s, 1);
    uint32_t at = 77;
    int error = 0;
    myri::Registration* first = cache.acquire(buffer, 0, 100000, true, at, error);
    REQUIRE(first);
    cache.release(first); // stays in the cache
    myri::Registration* own = cache.acquire_own(users.data() + 4096, 32768, true, error);
    REQUIRE(own);
    CHECK_NE(own->window, first->window);
    myri::Registration* again = cache.acquire(buffer, 4096, 32768, true, at, error);
    CHECK_EQ(again, first);
    CHECK_EQ(at, 4096u);
    cache.release(again);
    cache.release(own);
    CHECK_EQ(p.fabric.registered(1), 1u);
}
