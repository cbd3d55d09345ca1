# SPDX-License-Identifier: BSD-3-Clause
$(eval $(call unit_test,board,$(addprefix tests/board/,fake_card.cpp boot_test.cpp eeprom_test.cpp command_test.cpp \
    tables_test.cpp peers_test.cpp msi_test.cpp watch_test.cpp parity_test.cpp),board))
