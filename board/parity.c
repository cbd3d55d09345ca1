/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What an SRAM parity error has hit. The order of the steps is that of the original driver.
 *
 * The firmware that has met a bad word stops and waits with REQ_ACK_1 set. A host read of a bad word sets PARITY_INT
 * again, and so the range that must be sound is found sound by reading it.
 */
#include "board/access.h"

static bool parity_error(struct board *board) {
    return board_register_read(board, LANAI_ISR) & LANAI_ISR_PARITY;
}

int board_parity_judge(struct board *board) {
    uint32_t isr, at;

    board->ops->delay_ms(board->context, LANAI_RESET_SETTLE_MS);
    isr = board_register_read(board, LANAI_ISR);
    if (isr == 0xffffffffu) {
        board_log(board, "the card does not answer any more");
        return -ENODEV;
    }
    if (!(isr & LANAI_ISR_REQ_ACK_1)) {
        board_log(board, "the firmware does not wait for the host after an SRAM parity error (ISR 0x%08x)", isr);
        return -EIO;
    }
    board_register_write(board, LANAI_ISR, LANAI_ISR_PARITY);
    /* Globals lie between text and constants and count as they do. SRAM words have 8 bytes. */
    for (at = 0; at < board->critical_end; at += 8) {
        board_read(board, at);
        if (at + 4 < board->critical_end)
            board_read(board, at + 4);
        if (!parity_error(board))
            continue;
        board_log(board, "SRAM parity error within the firmware, at 0x%x", at);
        return -EIO;
    }
    board_register_write(board, LANAI_ISR, LANAI_ISR_REQ_ACK_1);
    return 0;
}
