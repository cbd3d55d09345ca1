// SPDX-License-Identifier: BSD-3-Clause
//
// The watchdog's verdict on each state of a card.
#include <cerrno>
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

constexpr size_t STATUS = offsetof(fw_globals, status), ERROR = offsetof(fw_globals, error),
                 HEARTBEAT = offsetof(fw_globals, heartbeat);

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("a heartbeat that stands still for the limit, and not less, is a dead firmware") {
    FakeCard card;
    boot_good(card);
    board_watchdog watch{};
    card.set_global(HEARTBEAT, 0xffffffff);
    CHECK(board_watch(&card.board, &watch, 10'000, 2000) == 0); // not yet known
    CHECK(board_watch(&card.board, &watch, 11'999, 2000) == 0);
    card.set_global(HEARTBEAT, 0); // it wraps
    CHECK(board_watch(&card.board, &watch, 12'500, 2000) == 0);
    CHECK(board_watch(&card.board, &watch, 14'499, 2000) == 0);
    CHECK(card.log.empty());
    CHECK(board_watch(&card.board, &watch, 14'500, 2000) == -ETIMEDOUT);
    CHECK(contains(card.said(), "for 2000 ms"));
    card.set_global(HEARTBEAT, 1);
    CHECK(board_watch(&card.board, &watch, 14'600, 2000) == 0);
}

TEST_CASE("a watch that begins anew knows nothing of the time before") {
    FakeCard card;
    boot_good(card);
    board_watchdog watch{};
    CHECK(board_watch(&card.board, &watch, 0, 2000) == 0);
    watch = {};
    CHECK(board_watch(&card.board, &watch, 9000, 2000) == 0);
    CHECK(board_watch(&card.board, &watch, 10'000, 2000) == 0);
}

TEST_CASE("a limit below 2000 ms is refused") {
    FakeCard card;
    boot_good(card);
    board_watchdog watch{};
    CHECK(board_watch(&card.board, &watch, 0, 1999) == -EINVAL);
    CHECK(contains(card.said(), "1999 ms"));
    CHECK(contains(card.said(), "2000 ms"));
    CHECK(card.trace.empty());
}

TEST_CASE("a parity error, a stopped firmware and a card that is gone have their own verdicts") {
    FakeCard card;
    boot_good(card);
    board_watchdog watch{};
    CHECK(board_stopped(&card.board) == nullptr);

    card.isr = LANAI_ISR_PARITY;
    CHECK(board_watch(&card.board, &watch, 0, 2000) == -EBADMSG);
    card.isr = 0;
    card.set_global(STATUS, FW_STATUS_PARITY); // the firmware's own word is enough
    CHECK(board_watch(&card.board, &watch, 0, 2000) == -EBADMSG);
    CHECK(contains(board_stopped(&card.board), "parity"));

    card.set_global(STATUS, FW_STATUS_ERROR);
    for (const auto& [error, why] : {std::pair{FW_ERROR_DMA, "DMA"}, {FW_ERROR_MEMORY, "receive buffers"},
                                     {FW_ERROR_PARAMETERS, "parameters"}, {FW_ERROR_NONE, "no known reason"}}) {
        card.set_global(ERROR, error);
        CHECK(board_watch(&card.board, &watch, 0, 2000) == -EIO);
        CHECK(contains(card.said(), why));
        CHECK(contains(board_stopped(&card.board), why));
    }
    card.set_global(STATUS, 77);
    CHECK(board_watch(&card.board, &watch, 0, 2000) == -EIO);
    CHECK(contains(card.said(), "77"));

    card.isr = 0xffffffff;
    CHECK(board_watch(&card.board, &watch, 0, 2000) == -ENODEV);
}
