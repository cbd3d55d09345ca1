# SPDX-License-Identifier: BSD-3-Clause
$(eval $(call archive,emulator-nic,$(addprefix emulator/nic/,buffer_faults.cpp card.cpp card_profile.cpp dma_engine.cpp eeprom.cpp \
    interrupts.cpp receive_port.cpp send_port.cpp special_registers.cpp sram.cpp timers.cpp)))
