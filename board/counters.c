/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the firmware counts. Counters beyond those that the firmware has read as 0. */
#include "board/access.h"

void board_counters_read(struct board *board, uint32_t *values, uint32_t count) {
    uint32_t n;

    for (n = 0; n < count; n++)
        values[n] = n < board->counter_count ? board_read(board, board->counters + 4 * n) : 0;
}

void board_counters_clear(struct board *board) {
    board->ops->zero_sram(board->context, board->counters, 4 * board->counter_count);
}

uint32_t board_heartbeat(struct board *board) {
    return board_read(board, BOARD_GLOBAL(heartbeat));
}
