# SPDX-License-Identifier: BSD-3-Clause
# The rig's programs find firmware and data files beside their own folder.
RIG_SOURCES := $(addprefix tests/rig/,rig.cpp slot_writer.cpp test_endpoint.cpp)
RIG_ARCHIVES := emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board
RIG_TESTS := $(addprefix tests/rig/,boot_test.cpp bus_map_test.cpp message_test.cpp refusal_test.cpp hostile_test.cpp)
$(eval $(call unit_test,rig,$(RIG_SOURCES) $(RIG_TESTS),$(RIG_ARCHIVES),-lfmt))
$(BUILD)/tests/rig: | $(BUILD)/firmware/lanaix.bin $(DATA_FILES)
