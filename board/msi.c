/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Where the firmware sends its message-signalled interrupts. */
#include "board/access.h"

void board_msi_set(struct board *board, bool enabled, uint64_t address, uint32_t data) {
    board_write(board, BOARD_GLOBAL(msi_enabled), 0);
    if (!enabled)
        return;
    board_write64(board, BOARD_GLOBAL(msi_address_high), address);
    board_write(board, BOARD_GLOBAL(msi_data), data);
    if (++board->msi_number == 0)
        board->msi_number = 1;
    board_write(board, BOARD_GLOBAL(msi_enabled), board->msi_number);
}
