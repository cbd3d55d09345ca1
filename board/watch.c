/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Whether the card still does its work. */
#include "board/access.h"

static const char *error_text(uint32_t error) {
    switch (error) {
    case FW_ERROR_PARAMETERS:
        return "its parameters make no sense";
    case FW_ERROR_DMA:
        return "a DMA transfer failed";
    case FW_ERROR_MEMORY:
        return "the port ran out of receive buffers";
    default:
        return "for no known reason";
    }
}

const char *board_stopped(struct board *board) {
    switch (board_read(board, BOARD_GLOBAL(status))) {
    case FW_STATUS_ERROR:
        return error_text(board_read(board, BOARD_GLOBAL(error)));
    case FW_STATUS_PARITY:
        return "SRAM parity error";
    default:
        return NULL;
    }
}

/* The registers first: an SRAM word with bad parity may say anything. */
static int health(struct board *board) {
    const uint32_t isr = board_register_read(board, LANAI_ISR);
    const uint32_t status = board_read(board, BOARD_GLOBAL(status));

    if (isr == 0xffffffffu) {
        board_log(board, "the card does not answer any more");
        return -ENODEV;
    }
    if (isr & LANAI_ISR_PARITY || status == FW_STATUS_PARITY) {
        board_log(board, "SRAM parity error");
        return -EBADMSG;
    }
    if (status == FW_STATUS_ERROR) {
        board_log(board, "the firmware has stopped: %s", board_stopped(board));
        return -EIO;
    }
    if (status != FW_STATUS_RUN) {
        board_log(board, "firmware status is %u instead of %u", status, FW_STATUS_RUN);
        return -EIO;
    }
    return 0;
}

int board_watch(struct board *board, struct board_watchdog *watch, uint64_t now_ms, uint32_t limit_ms) {
    uint32_t heartbeat;
    int status;

    if (limit_ms < BOARD_WATCH_LIMIT_MIN_MS) {
        board_log(board, "watchdog limit of %u ms: at least %u ms are possible", limit_ms, BOARD_WATCH_LIMIT_MIN_MS);
        return -EINVAL;
    }
    status = health(board);
    if (status)
        return status;
    heartbeat = board_heartbeat(board);
    if (!watch->begun || heartbeat != watch->heartbeat) {
        watch->begun = true;
        watch->heartbeat = heartbeat;
        watch->since_ms = now_ms;
        return 0;
    }
    if (now_ms - watch->since_ms < limit_ms)
        return 0;
    board_log(board, "the firmware's heartbeat stands at %u for %llu ms", heartbeat,
              (unsigned long long)(now_ms - watch->since_ms));
    return -ETIMEDOUT;
}
