/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Registered windows: where a process's memory is on the bus. */
#include "board/access.h"

#define ENTRY(board, endpoint, window, field)                                                                \
    ((board)->windows + ((endpoint)*FW_WINDOWS + (window)) * (uint32_t)sizeof(struct fw_window) +            \
     (uint32_t)offsetof(struct fw_window, field))

static int window_check(struct board *board, uint32_t endpoint, uint32_t window) {
    const int status = board_endpoint_check(board, endpoint);

    if (status || window < FW_WINDOWS)
        return status;
    board_log(board, "window %u of endpoint %u: 0 to %u exist", window, endpoint, FW_WINDOWS - 1);
    return -EINVAL;
}

int board_window_set(struct board *board, uint32_t endpoint, uint32_t window, uint32_t generation,
                     uint64_t list, uint32_t length, bool writable) {
    const int status = window_check(board, endpoint, window);

    if (status)
        return status;
    if (generation < 1 || generation > 0xffff) {
        board_log(board, "window generation %u: 1 to 65535 are possible", generation);
        return -EINVAL;
    }
    if (length < 1 || length > FW_WINDOW_MAX) {
        board_log(board, "window of %u bytes: 1 to %u are possible", length, FW_WINDOW_MAX);
        return -EINVAL;
    }
    if (list % sizeof(struct fw_piece) != 0) {
        board_log(board, "page list at bus address 0x%llx: must be a multiple of %u",
                  (unsigned long long)list, (unsigned)sizeof(struct fw_piece));
        return -EINVAL;
    }
    board_write64(board, ENTRY(board, endpoint, window, list), list);
    board_write(board, ENTRY(board, endpoint, window, generation), generation << 16 | (writable ? FW_WINDOW_WRITABLE : 0));
    /* Last: with a length the window is there. */
    board_write(board, ENTRY(board, endpoint, window, length), length);
    return 0;
}

int board_window_clear(struct board *board, uint32_t endpoint, uint32_t window) {
    const int status = window_check(board, endpoint, window);

    if (!status)
        board_write(board, ENTRY(board, endpoint, window, length), 0);
    return status;
}
