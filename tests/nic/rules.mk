# SPDX-License-Identifier: BSD-3-Clause
NIC_TESTS := pci_bus profiles boot dma send_receive back_pressure interrupts timers idle parity
$(eval $(call unit_test,nic_test,$(NIC_TESTS:%=tests/nic/%_test.cpp),\
    emulator-nic emulator-host emulator-cpu emulator-fabric emulator-clock))
$(BUILD)/tests/nic_test: | $(DATA_FILES)
