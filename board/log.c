/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "board/access.h"

void board_log(struct board *board, const char *format, ...) {
    char text[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    board->ops->log(board->context, text);
}
