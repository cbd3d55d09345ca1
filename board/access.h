/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Private to board/: how its files reach the card and report. Offsets are SRAM offsets, registers those of
 * abi/lanai.h. Accesses through the operations reach the card in the order in which they are made.
 */
#ifndef MYRI_BOARD_ACCESS_H
#define MYRI_BOARD_ACCESS_H

#include "board/board.h"
#include "board/platform.h"

static inline uint32_t board_read(struct board *board, uint32_t offset) {
    return board->ops->read32(board->context, offset);
}

static inline void board_write(struct board *board, uint32_t offset, uint32_t value) {
    board->ops->write32(board->context, offset, value);
}

static inline void board_write64(struct board *board, uint32_t offset, uint64_t value) {
    board_write(board, offset, (uint32_t)(value >> 32));
    board_write(board, offset + 4, (uint32_t)value);
}

static inline uint32_t board_register_read(struct board *board, enum lanai_register reg) {
    return board_read(board, LANAI_BAR0_SPECIAL + (uint32_t)reg);
}

static inline void board_register_write(struct board *board, enum lanai_register reg, uint32_t value) {
    board_write(board, LANAI_BAR0_SPECIAL + (uint32_t)reg, value);
}

/* SRAM offset of a field of the globals. */
#define BOARD_GLOBAL(field) (FW_GLOBALS + (uint32_t)offsetof(struct fw_globals, field))

/* Bytes of SRAM below the EEPROM strings. */
static inline uint32_t board_sram_usable(const struct board *board) {
    return board->sram_size - LANAI_EEPROM_SIZE;
}

/* One line for people; longer ones are cut. */
__attribute__((format(printf, 2, 3))) void board_log(struct board *board, const char *format, ...);

/* 0, or -EINVAL and a log line naming the number. */
int board_endpoint_check(struct board *board, uint32_t endpoint);

/* As board_parse_eeprom(); *why then says what is wrong. */
int board_eeprom_parse(const char *bytes, uint32_t length, struct board_eeprom *eeprom, const char **why);

/* 0 if the image may be started: -EINVAL not one for this card, -EPROTO made for another ABI. */
int board_image_check(struct board *board, const uint8_t *image, uint32_t size);

/* Reads what the firmware's globals say into `board`; -EIO, with a log line, if it makes no sense. */
int board_globals_read(struct board *board, uint32_t image_size);

#endif /* MYRI_BOARD_ACCESS_H */
