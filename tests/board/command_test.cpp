// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <doctest/doctest.h>
#include <string>

#include "tests/board/fake_card.h"

namespace {

using Strings = std::vector<std::string>;

constexpr uint32_t MAILBOX =
    FW_GLOBALS + 144; // by hand: globals are 192 bytes and end with the 48-byte mailbox
constexpr uint32_t REQUEST = MAILBOX, OPCODE = MAILBOX + 4, ARG = MAILBOX + 8, DONE = MAILBOX + 32,
                   RESULT = MAILBOX + 36, RESULT1 = MAILBOX + 40;

void finish(FakeCard& card, uint32_t result, uint32_t value) {
    card.set_word(RESULT, result);
    card.set_word(RESULT1, value);
    card.set_word(DONE, card.word(REQUEST));
}

} // namespace

TEST_CASE("a command's request number is stored last, after opcode and arguments") {
    FakeCard card;
    boot_good(card);
    const uint32_t arguments[] = {7, 8};
    REQUIRE(board_command_start(&card.board, FW_COMMAND_RETIRE_WINDOW, arguments, 2) == 0);
    CHECK(card.trace == Strings{"read 1008..100c", "write 1094..10b0", "write 1090..1094"});
    CHECK(card.word(OPCODE) == FW_COMMAND_RETIRE_WINDOW);
    CHECK(card.word(ARG) == 7);
    CHECK(card.word(ARG + 4) == 8);
    CHECK(card.word(ARG + 8) == 0);
    CHECK(card.word(REQUEST) == 1);
}

TEST_CASE("one command at a time: busy until the firmware says done, with its result and value") {
    FakeCard card;
    boot_good(card);
    const uint32_t arguments[] = {3};
    int result = 99;
    uint32_t value = 99;
    CHECK_FALSE(board_command_finished(&card.board, &result, &value)); // none was started
    REQUIRE(board_command_start(&card.board, FW_COMMAND_OPEN, arguments, 1) == 0);
    CHECK(board_command_start(&card.board, FW_COMMAND_CLOSE, arguments, 1) == -EBUSY);
    CHECK(card.word(OPCODE) == FW_COMMAND_OPEN);
    CHECK_FALSE(board_command_finished(&card.board, &result, &value));
    CHECK(result == 99);
    finish(card, FW_RESULT_OK, 4711);
    REQUIRE(board_command_finished(&card.board, &result, &value));
    CHECK(result == 0);
    CHECK(value == 4711);
    CHECK_FALSE(board_command_finished(&card.board, &result, &value)); // told once
    REQUIRE(board_command_start(&card.board, FW_COMMAND_CLOSE, arguments, 1) == 0);
    CHECK(card.word(REQUEST) == 2);
    CHECK_FALSE(board_command_finished(&card.board, &result, &value));
}

TEST_CASE("each result of the firmware has its errno") {
    FakeCard card;
    boot_good(card);
    const std::pair<uint32_t, int> expected[] = {{FW_RESULT_OK, 0},
                                                 {FW_RESULT_BAD_OPCODE, -EOPNOTSUPP},
                                                 {FW_RESULT_BAD_ARGUMENT, -EINVAL},
                                                 {FW_RESULT_DMA_ERROR, -EIO},
                                                 {55, -EPROTO}};
    for (const auto& [result, status] : expected) {
        int got = 99;
        uint32_t value = 0;
        REQUIRE(board_command_start(&card.board, 1, nullptr, 0) == 0);
        finish(card, result, 0);
        REQUIRE(board_command_finished(&card.board, &got, &value));
        CHECK(got == status);
    }
    CHECK(card.said().find("55") != std::string::npos);
}

TEST_CASE("a command is refused with too many arguments or when the firmware does not run") {
    FakeCard card;
    boot_good(card);
    const uint32_t arguments[7] = {};
    CHECK(board_command_start(&card.board, 1, arguments, 7) == -EINVAL);
    CHECK(board_command_start(&card.board, 1, arguments, 6) == 0);
    finish(card, 0, 0);
    int result;
    uint32_t value;
    REQUIRE(board_command_finished(&card.board, &result, &value));
    card.set_global(offsetof(fw_globals, status), FW_STATUS_ERROR);
    CHECK(board_command_start(&card.board, 1, arguments, 0) == -EIO);
    CHECK_FALSE(board_command_finished(&card.board, &result, &value));
}

TEST_CASE("an interrupt is acknowledged once; a card that is gone raises none") {
    FakeCard card;
    boot_good(card);
    card.isr = LANAI_ISR_REQ_ACK_0 | LANAI_ISR_P0_SENT;
    CHECK(board_interrupt_acknowledge(&card.board));
    CHECK(card.isr == LANAI_ISR_P0_SENT); // nothing of the firmware's was cleared
    CHECK_FALSE(board_interrupt_acknowledge(&card.board));
    card.isr = 0xffffffff;
    CHECK_FALSE(board_interrupt_acknowledge(&card.board));
    CHECK(card.isr == 0xffffffff);
}

TEST_CASE("counters are read and cleared, heartbeat is read, at the places the firmware named") {
    FakeCard card;
    boot_good(card);
    card.set_word(0x50000, 11);
    card.set_word(0x50000 + 4 * (FW_COUNTER_COUNT - 1), 12);
    card.set_word(0x50000 + 4 * FW_COUNTER_COUNT, 13); // not a counter
    std::vector<uint32_t> values(FW_COUNTER_COUNT + 2, 99);
    board_counters_read(&card.board, values.data(), FW_COUNTER_COUNT + 2);
    CHECK(values[0] == 11);
    CHECK(values[FW_COUNTER_COUNT - 1] == 12);
    CHECK(values[FW_COUNTER_COUNT] == 0);
    board_counters_clear(&card.board);
    CHECK(card.word(0x50000) == 0);
    CHECK(card.word(0x50000 + 4 * (FW_COUNTER_COUNT - 1)) == 0);
    CHECK(card.word(0x50000 + 4 * FW_COUNTER_COUNT) == 13);
    card.set_global(offsetof(fw_globals, heartbeat), 17);
    CHECK(board_heartbeat(&card.board) == 17);
}
