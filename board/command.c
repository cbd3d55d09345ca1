/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The mailbox between driver and firmware, and the interrupt that says it is done. */
#include "board/access.h"

#define ARGUMENTS_MAX (sizeof(((struct fw_mailbox *)0)->arg) / sizeof(be32))

bool board_interrupt_acknowledge(struct board *board) {
    const uint32_t isr = board_register_read(board, LANAI_ISR);

    /* All ones: the card does not answer any more. */
    if (isr == 0xffffffffu || !(isr & LANAI_ISR_REQ_ACK_0))
        return false;
    board_register_write(board, LANAI_ISR, LANAI_ISR_REQ_ACK_0);
    return true;
}

int board_command_start(struct board *board, uint32_t opcode, const uint32_t *arg, unsigned args) {
    const uint32_t status = board_read(board, BOARD_GLOBAL(status));
    unsigned n;

    if (board->command_busy)
        return -EBUSY;
    if (args > ARGUMENTS_MAX) {
        board_log(board, "command %u with %u arguments: at most %u are possible", opcode, args,
                  (unsigned)ARGUMENTS_MAX);
        return -EINVAL;
    }
    if (status != FW_STATUS_RUN) {
        board_log(board, "command %u: firmware status is %u instead of %u", opcode, status, FW_STATUS_RUN);
        return -EIO;
    }
    board_write(board, BOARD_GLOBAL(mailbox.opcode), opcode);
    for (n = 0; n < ARGUMENTS_MAX; n++)
        board_write(board, BOARD_GLOBAL(mailbox.arg) + 4 * n, n < args ? arg[n] : 0);
    board_write(board, BOARD_GLOBAL(mailbox.request), ++board->command_number);
    board->command_busy = true;
    return 0;
}

static int result_errno(struct board *board, uint32_t result) {
    switch (result) {
    case FW_RESULT_OK:
        return 0;
    case FW_RESULT_BAD_OPCODE:
        return -EOPNOTSUPP;
    case FW_RESULT_BAD_ARGUMENT:
        return -EINVAL;
    case FW_RESULT_DMA_ERROR:
        return -EIO;
    default:
        board_log(board, "command %u answered with unknown result %u", board->command_number, result);
        return -EPROTO;
    }
}

bool board_command_finished(struct board *board, int *result, uint32_t *value) {
    if (!board->command_busy || board_read(board, BOARD_GLOBAL(mailbox.done)) != board->command_number)
        return false;
    board->command_busy = false;
    *result = result_errno(board, board_read(board, BOARD_GLOBAL(mailbox.result)));
    *value = board_read(board, BOARD_GLOBAL(mailbox.result1));
    return true;
}
