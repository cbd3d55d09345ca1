// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

using Strings = std::vector<std::string>;

// By hand: the fourth to last words before the version text at 96.
constexpr uint32_t ENABLED = FW_GLOBALS + 72, HIGH = ENABLED + 4, LOW = ENABLED + 8, DATA = ENABLED + 12;

} // namespace

TEST_CASE("MSI is off after boot, and on only while its address and data stand there") {
    FakeCard card;
    boot_good(card);
    CHECK(card.word(ENABLED) == 0);
    board_msi_set(&card.board, true, 0x12'fee0'100c, 0x4023);
    CHECK(card.word(HIGH) == 0x12);
    CHECK(card.word(LOW) == 0xfee0100c);
    CHECK(card.word(DATA) == 0x4023);
    CHECK(card.word(ENABLED) != 0);
    CHECK(card.trace == Strings{"write 1048..1058", "write 1048..104c"}); // off first, on last
}

TEST_CASE("another setting of the MSI has another number, after which none is 0") {
    FakeCard card;
    boot_good(card);
    board_msi_set(&card.board, true, 0xfee00000, 1);
    const uint32_t first = card.word(ENABLED);
    board_msi_set(&card.board, true, 0xfee01000, 1);
    CHECK(card.word(ENABLED) != first);
    card.board.msi_number = 0xffffffff;
    board_msi_set(&card.board, true, 0xfee02000, 1);
    CHECK(card.word(ENABLED) != 0);
    board_msi_set(&card.board, false, 0, 0);
    CHECK(card.word(ENABLED) == 0);
    CHECK(card.word(LOW) == 0xfee02000); // nothing else is touched
}
