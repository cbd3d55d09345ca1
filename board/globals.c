/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What the firmware says about its tables, checked once: nothing read here may later lead a store of the
 * driver to a place that the firmware did not mean.
 */
#include "abi/driver.h"
#include "board/access.h"

struct table {
    const char *name;
    uint32_t offset, size, align;
};

static bool table_fits(struct board *board, const struct table *t) {
    const uint32_t low = FW_GLOBALS + (uint32_t)sizeof(struct fw_globals), high = board_sram_usable(board);

    if (t->offset % t->align == 0 && t->offset >= low && t->offset <= high && t->size <= high - t->offset)
        return true;
    board_log(board, "firmware globals: %s of %u bytes at 0x%x: must be a multiple of %u within 0x%x..0x%x",
              t->name, t->size, t->offset, t->align, low, high);
    return false;
}

static bool tables_apart(struct board *board, const struct table *a, const struct table *b) {
    if (a->offset + a->size <= b->offset || b->offset + b->size <= a->offset)
        return true;
    board_log(board, "firmware globals: %s at 0x%x and %s at 0x%x overlap", a->name, a->offset, b->name,
              b->offset);
    return false;
}

/* The text may lack an end or be no text at all: what people see of it is harmless. */
static void read_version(struct board *board) {
    const uint32_t size = sizeof(board->firmware_version);
    char *text = board->firmware_version;
    uint32_t n;
    be32 word;

    for (n = 0; n < size; n += 4) {
        word = cpu_to_be32(board_read(board, BOARD_GLOBAL(version) + n));
        memcpy(text + n, &word, 4);
    }
    text[size - 1] = '\0';
    for (n = 0; text[n] != '\0'; n++)
        if (text[n] < ' ' || text[n] > '~')
            text[n] = '?';
}

int board_globals_read(struct board *board, uint32_t image_size) {
    struct table tables[5];
    uint32_t i, j;

    board->counter_count = board_read(board, BOARD_GLOBAL(counter_count));
    if (board->counter_count < 1 || board->counter_count > MYRI_COUNTERS_MAX) {
        board_log(board, "firmware globals: %u counters: 1 to %u are possible", board->counter_count,
                  MYRI_COUNTERS_MAX);
        return -EIO;
    }
    board->endpoints = board_read(board, BOARD_GLOBAL(endpoints));
    board->endpoint_windows = board_read(board, BOARD_GLOBAL(endpoint_windows));
    board->windows = board_read(board, BOARD_GLOBAL(windows));
    board->peers = board_read(board, BOARD_GLOBAL(peers));
    board->counters = board_read(board, BOARD_GLOBAL(counters));
    tables[0] =
        (struct table){"endpoints", board->endpoints, FW_ENDPOINTS * (uint32_t)sizeof(struct fw_endpoint), 8};
    tables[1] = (struct table){"endpoint windows", board->endpoint_windows,
                               FW_ENDPOINTS * FW_ENDPOINT_WINDOW_SIZE, 4096};
    tables[2] = (struct table){"windows", board->windows,
                               FW_ENDPOINTS * FW_WINDOWS * (uint32_t)sizeof(struct fw_window), 8};
    tables[3] = (struct table){"peers", board->peers, FW_PEERS * (uint32_t)sizeof(struct fw_peer), 4};
    tables[4] = (struct table){"counters", board->counters, board->counter_count * 4, 4};
    for (i = 0; i < 5; i++) {
        if (!table_fits(board, &tables[i]))
            return -EIO;
        for (j = 0; j < i; j++)
            if (!tables_apart(board, &tables[j], &tables[i]))
                return -EIO;
    }
    board->idle_loop = board_read(board, BOARD_GLOBAL(idle_loop));
    if (board->idle_loop % 4 != 0 || board->idle_loop >= image_size) {
        board_log(board, "firmware globals: idle loop at 0x%x: must be a multiple of 4 below 0x%x",
                  board->idle_loop, image_size);
        return -EIO;
    }
    board->critical_end = board_read(board, BOARD_GLOBAL(critical_end));
    if (board->critical_end % 4 != 0 || board->critical_end == 0 || board->critical_end > image_size) {
        board_log(board, "firmware globals: text and constants end at 0x%x: must be a multiple of 4 up to 0x%x",
                  board->critical_end, image_size);
        return -EIO;
    }
    read_version(board);
    return 0;
}
