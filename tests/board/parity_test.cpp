// SPDX-License-Identifier: BSD-3-Clause
//
// Which parity errors are survived, judged by the original driver's steps.
#include <algorithm>
#include <cerrno>
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

using Strings = std::vector<std::string>;

constexpr uint32_t CRITICAL_END = 0x180c; // the fake firmware's

// A card whose firmware has met a bad word and waits.
void hit(FakeCard& card, uint32_t bad_word) {
    boot_good(card);
    card.parity_at = bad_word;
    card.isr = LANAI_ISR_PARITY | LANAI_ISR_REQ_ACK_1;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("data alone is hit: the error is cleared, the firmware's range read in steps, the firmware released") {
    FakeCard card;
    hit(card, CRITICAL_END);
    REQUIRE(board_parity_judge(&card.board) == 0);
    CHECK(card.isr == 0);
    const Strings begin(card.trace.begin(), card.trace.begin() + 6);
    CHECK(begin == Strings{"wait 20", "read ISR", "write ISR 00100000", "read 0..8", "read ISR", "read 8..10"});
    const Strings end(card.trace.end() - 3, card.trace.end());
    CHECK(end == Strings{"read 1808..180c", "read ISR", "write ISR 20000000"});
    CHECK(std::count(card.trace.begin(), card.trace.end(), "read ISR") == 1 + (CRITICAL_END + 7) / 8);
}

TEST_CASE("a bad word in text or constants makes the card untrustworthy") {
    for (uint32_t bad : {0u, 4u, 0x7f8u, 0x1000u, CRITICAL_END - 4}) {
        CAPTURE(bad);
        FakeCard card;
        hit(card, bad);
        CHECK(board_parity_judge(&card.board) == -EIO);
        CHECK(contains(card.said(), "within the firmware"));
        CHECK((card.isr & LANAI_ISR_REQ_ACK_1) != 0); // it is not released
    }
}

TEST_CASE("firmware that does not wait is not trusted, and a card that is gone is told") {
    FakeCard card;
    hit(card, ~0u);
    card.isr = LANAI_ISR_PARITY;
    CHECK(board_parity_judge(&card.board) == -EIO);
    CHECK(contains(card.said(), "does not wait"));
    CHECK(card.trace == Strings{"wait 20", "read ISR"});
    card.isr = 0xffffffff;
    CHECK(board_parity_judge(&card.board) == -ENODEV);
}
