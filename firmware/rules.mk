# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
# The control program for LANai X cards.

# clang's constant hoisting makes three instructions of what one `mov` loads.
LANAIX_FLAGS := -mllvm -disable-constant-hoisting
lanaix_LDFLAGS := --limit 0x100000
$(eval $(call lanai_image,lanaix,$(addprefix firmware/,main.c globals.c endpoint.c dma.c event.c transmit.c receive.c \
    slots.c nack.c interrupt.c stop.c tick.c command.c quiet.c bench.c pieces.c pull.c serve.c), $(LANAIX_FLAGS)))
