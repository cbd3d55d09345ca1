/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Is this a firmware image for this driver? An image is a flat copy of SRAM from 0 on; it carries its
 * globals, with magic and ABI version, at FW_GLOBALS, so a wrong file is refused before anything of it runs.
 */
#include "board/access.h"

int board_image_check(struct board *board, const uint8_t *image, uint32_t size) {
    const uint32_t least = FW_GLOBALS + (uint32_t)sizeof(struct fw_globals);
    struct fw_globals globals;

    if (!image || size < least || size > FW_SRAM_ENDPOINT_WINDOWS) {
        board_log(board, "firmware image of %u bytes: %u to %u are possible", size, least,
                  FW_SRAM_ENDPOINT_WINDOWS);
        return -EINVAL;
    }
    memcpy(&globals, image + FW_GLOBALS, sizeof(globals));
    if (be32_to_cpu(globals.magic) != FW_MAGIC) {
        board_log(board, "not a firmware image: 0x%08x at 0x%x, 0x%08x expected", be32_to_cpu(globals.magic),
                  FW_GLOBALS, FW_MAGIC);
        return -EINVAL;
    }
    if (be32_to_cpu(globals.abi_version) != FW_ABI_VERSION) {
        board_log(board, "firmware image of ABI version %u: this driver needs %u",
                  be32_to_cpu(globals.abi_version), FW_ABI_VERSION);
        return -EPROTO;
    }
    /* Otherwise its progress could not be told from what the file says. */
    if (be32_to_cpu(globals.status) != FW_STATUS_LOAD || be32_to_cpu(globals.params_ready) != 0) {
        board_log(board, "firmware image has run before: status %u, params_ready %u, both must be 0",
                  be32_to_cpu(globals.status), be32_to_cpu(globals.params_ready));
        return -EINVAL;
    }
    return 0;
}
