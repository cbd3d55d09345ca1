# SPDX-License-Identifier: BSD-3-Clause
# The rig's programs find firmware and data files beside their own folder.
$(eval $(call archive,rig,$(addprefix tests/rig/,rig.cpp slot_writer.cpp test_endpoint.cpp)))
RIG_TESTS := $(addprefix tests/rig/,boot_test.cpp bus_map_test.cpp message_test.cpp refusal_test.cpp hostile_test.cpp \
    interrupt_test.cpp parity_test.cpp peers_test.cpp pull_test.cpp)
$(eval $(call unit_test,rig,$(RIG_TESTS),\
    rig emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
$(BUILD)/tests/rig: | $(BUILD)/firmware/lanaix.bin $(DATA_FILES)
