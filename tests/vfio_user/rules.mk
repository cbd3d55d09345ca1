# SPDX-License-Identifier: BSD-3-Clause
VFIO_USER_TESTS := $(addprefix tests/vfio_user/,client.cpp served_guest.cpp start_up_test.cpp region_test.cpp \
    dma_test.cpp interrupt_test.cpp hostile_test.cpp naps_test.cpp)
$(eval $(call unit_test,vfio_user_test,$(VFIO_USER_TESTS),\
    emulator-vfio-user emulator-driver emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
$(BUILD)/tests/vfio_user_test: | $(DATA_FILES)
# Against the program itself, which is started as a person does.
$(eval $(call unit_test,vfio_user_chain_test,$(addprefix tests/vfio_user/,client.cpp machine.cpp chain_test.cpp) \
    tests/rig/slot_writer.cpp,board))
$(BUILD)/tests/vfio_user_chain_test: | $(BUILD)/bin/myri-fabric $(BUILD)/firmware/lanaix.bin $(DATA_FILES)
