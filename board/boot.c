/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * From any state of the card to running firmware. The order of the steps and their waits are those of the
 * original driver, and nothing else is known to work on real cards.
 */
#include "board/access.h"

#define SRAM_SIZE_MASK    0x0ffffc00u /* of DMA_CONFIG */
#define STATUS_TIMEOUT_MS 1000u       /* for each of LOAD -> INIT and INIT -> RUN */

static void control(struct board *board, uint32_t bits) {
    board_write(board, LANAI_BAR0_CONTROL_WORD, bits);
}

static void settle(struct board *board) {
    board->ops->delay_ms(board->context, LANAI_RESET_SETTLE_MS);
}

static void reset(struct board *board) {
    board->ops->bus_master(board->context, false);
    control(board, LANAI_CONTROL_IO_RESET_ON);
    control(board, LANAI_CONTROL_CPU_RESET_ON);
    settle(board);
    control(board, LANAI_CONTROL_IO_RESET_OFF);
    settle(board);
    /* SRAM was never written after power-on: a parity error up to here means nothing. */
    if (board_register_read(board, LANAI_ISR) & LANAI_ISR_PARITY)
        board_register_write(board, LANAI_ISR, LANAI_ISR_PARITY);
}

static int find_sram(struct board *board) {
    const uint32_t least = FW_SRAM_BUFFERS + LANAI_EEPROM_SIZE;

    board->sram_size = board_register_read(board, LANAI_DMA_CONFIG) & SRAM_SIZE_MASK;
    if (board->sram_size >= least && board->sram_size <= LANAI_BAR0_CONTROL)
        return 0;
    board_log(board, "the card says it has 0x%x bytes of SRAM: 0x%x to 0x%x are possible", board->sram_size,
              least, LANAI_BAR0_CONTROL);
    return -EINVAL;
}

static int read_eeprom(struct board *board) {
    char bytes[LANAI_EEPROM_SIZE];
    const char *why;
    uint32_t at;
    be32 word;
    int status;

    for (at = 0; at < LANAI_EEPROM_SIZE; at += 4) {
        word = cpu_to_be32(board_read(board, board_sram_usable(board) + at));
        memcpy(bytes + at, &word, 4);
    }
    if (board_register_read(board, LANAI_ISR) & LANAI_ISR_PARITY) {
        board_log(board, "SRAM parity error while reading the EEPROM strings");
        return -EIO;
    }
    status = board_eeprom_parse(bytes, LANAI_EEPROM_SIZE, &board->eeprom, &why);
    if (status)
        board_log(board, "EEPROM strings: %s", why);
    return status;
}

static void load(struct board *board, const void *image, uint32_t image_size) {
    board->ops->zero_sram(board->context, 0, board_sram_usable(board));
    settle(board);
    board->ops->copy_to_sram(board->context, 0, image, image_size);
    settle(board);
}

static void start(struct board *board) {
    /* A request left from before the reset would be an interrupt storm once interrupts are on. */
    if (board_register_read(board, LANAI_ISR) & LANAI_ISR_REQ_ACK_0)
        board_register_write(board, LANAI_ISR, LANAI_ISR_REQ_ACK_0);
    control(board, LANAI_CONTROL_PCI_INTERRUPT_DISABLE);
    control(board, LANAI_CONTROL_CPU_RESET_OFF);
    control(board, LANAI_CONTROL_PCI_INTERRUPT_ENABLE);
}

static int wait_for_status(struct board *board, uint32_t from, uint32_t to) {
    uint32_t status, ms;

    for (ms = 0; ms <= STATUS_TIMEOUT_MS; ms++) {
        if (ms > 0)
            board->ops->delay_ms(board->context, 1);
        if (board_register_read(board, LANAI_ISR) & LANAI_ISR_PARITY) {
            board_log(board, "SRAM parity error while the firmware starts");
            return -EIO;
        }
        status = board_read(board, BOARD_GLOBAL(status));
        if (status == to)
            return 0;
        if (status == FW_STATUS_PARITY) {
            board_log(board, "the firmware reports an SRAM parity error");
            return -EIO;
        }
        if (status == FW_STATUS_ERROR) {
            board_log(board, "the firmware stopped with error %u", board_read(board, BOARD_GLOBAL(error)));
            return -EIO;
        }
        if (status != from) {
            board_log(board, "firmware status is %u instead of %u or %u", status, from, to);
            return -EIO;
        }
    }
    board_log(board, "firmware status is still %u after %u ms, %u expected", from, STATUS_TIMEOUT_MS, to);
    return -ETIMEDOUT;
}

/* The image was checked before; this checks what really runs. */
static int check_running(struct board *board) {
    const uint32_t magic = board_read(board, BOARD_GLOBAL(magic));
    const uint32_t version = board_read(board, BOARD_GLOBAL(abi_version));

    if (magic != FW_MAGIC) {
        board_log(board, "the firmware shows magic 0x%08x, 0x%08x expected", magic, FW_MAGIC);
        return -EIO;
    }
    if (version != FW_ABI_VERSION) {
        board_log(board, "the firmware shows ABI version %u, %u expected", version, FW_ABI_VERSION);
        return -EPROTO;
    }
    return 0;
}

static void hand_over_parameters(struct board *board) {
    board_write(board, BOARD_GLOBAL(mac_high), (uint32_t)(board->eeprom.mac >> 32));
    board_write(board, BOARD_GLOBAL(mac_low), (uint32_t)board->eeprom.mac);
    board_write(board, BOARD_GLOBAL(sram_size), board_sram_usable(board));
    board_write(board, BOARD_GLOBAL(core_khz), board->core_khz);
    board_write(board, BOARD_GLOBAL(params_ready), 1);
}

static int handshake(struct board *board, uint32_t image_size) {
    int status = wait_for_status(board, FW_STATUS_LOAD, FW_STATUS_INIT);

    if (!status)
        status = check_running(board);
    if (!status)
        status = board_globals_read(board, image_size);
    if (status)
        return status;
    board->command_number = board_read(board, BOARD_GLOBAL(mailbox.done));
    board->ops->bus_master(board->context, true);
    hand_over_parameters(board);
    return wait_for_status(board, FW_STATUS_INIT, FW_STATUS_RUN);
}

int board_boot(struct board *board, const struct board_ops *ops, void *context, uint32_t core_khz,
               const void *image, uint32_t image_size) {
    int status;

    memset(board, 0, sizeof(*board));
    board->ops = ops;
    board->context = context;
    board->core_khz = core_khz;
    status = board_image_check(board, image, image_size);
    if (status)
        return status;
    reset(board);
    status = find_sram(board);
    if (!status)
        status = read_eeprom(board);
    if (status)
        return status;
    load(board, image, image_size);
    start(board);
    status = handshake(board, image_size);
    if (status)
        board_park(board);
    return status;
}

void board_park(struct board *board) {
    control(board, LANAI_CONTROL_CPU_RESET_ON);
    control(board, LANAI_CONTROL_IO_RESET_ON);
    settle(board);
    control(board, LANAI_CONTROL_IO_RESET_OFF);
    board->ops->bus_master(board->context, false);
}
