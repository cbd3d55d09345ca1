# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
BOARD_SOURCES := $(addprefix board/,log.c boot.c image.c eeprom.c globals.c command.c endpoint.c window.c peers.c counters.c msi.c watch.c parity.c)
$(eval $(call archive,board,$(BOARD_SOURCES)))
