// SPDX-License-Identifier: BSD-3-Clause
// Matching against a model that scans two plain vectors.
#include <doctest/doctest.h>

#include <list>
#include <random>
#include <vector>

#include "libmyri/match.h"

using namespace myri;

TEST_CASE("random receives and messages meet as in the model") {
    std::mt19937_64 random(3);
    Matcher matcher;
    std::list<Receive> receives;
    std::list<Arrival> arrivals;
    std::vector<Receive*> posted;
    std::vector<Arrival*> unexpected;
    const uint64_t masks[] = {~0ull, 0, 0xff, 0xf0, 0xffff0000ffffull, 0x3};
    unsigned met = 0;
    for (int step = 0; step < 20000; ++step) {
        if (random() % 2) {
            Arrival& a = arrivals.emplace_back();
            a.match = random() % 256;
            Receive* expected = nullptr;
            for (size_t i = 0; i < posted.size() && !expected; ++i)
                if ((a.match & posted[i]->mask) == posted[i]->match) {
                    expected = posted[i];
                    posted.erase(posted.begin() + static_cast<long>(i));
                }
            CHECK_EQ(matcher.would_match(a.match), expected != nullptr);
            REQUIRE(matcher.take_receive(a.match) == expected);
            met += expected != nullptr;
            if (!expected) {
                unexpected.push_back(&a);
                matcher.queue(&a);
            }
        } else {
            Receive& r = receives.emplace_back();
            r.mask = masks[random() % std::size(masks)];
            r.match = random() % 256 & r.mask;
            Arrival* expected = nullptr;
            for (size_t i = 0; i < unexpected.size() && !expected; ++i)
                if ((unexpected[i]->match & r.mask) == r.match) {
                    expected = unexpected[i];
                    unexpected.erase(unexpected.begin() + static_cast<long>(i));
                }
            Arrival* found = matcher.find_arrival(r.match, r.mask);
            REQUIRE(found == expected);
            if (found)
                matcher.remove(found);
            else {
                matcher.post(&r);
                posted.push_back(&r);
            }
            met += found != nullptr;
        }
        if (random() % 50 == 0 && !posted.empty()) { // a cancelled receive
            const size_t i = random() % posted.size();
            matcher.withdraw(posted[i]);
            posted.erase(posted.begin() + static_cast<long>(i));
        }
    }
    CHECK(met > 1000u);
}

TEST_CASE("the oldest that accepts wins, not the most specific") {
    Matcher matcher;
    Receive wildcard, exact;
    wildcard.mask = 0;
    exact.match = 5;
    exact.mask = ~0ull;
    matcher.post(&wildcard);
    matcher.post(&exact);
    CHECK(matcher.take_receive(5) == &wildcard);
    CHECK(matcher.take_receive(6) == nullptr);
    CHECK(matcher.take_receive(5) == &exact);
}
