# SPDX-License-Identifier: BSD-3-Clause
# A program that the tests run as a command on emulated hosts; no test by itself.
$(eval $(call linked,driver-client,$(BUILD)/tests/driver/client,tests/driver/client.cpp tests/driver/test_client.cpp,,-lfmt))
DRIVER_UNIT_TESTS := $(addprefix tests/driver/,frames_test.cpp clock_page_test.cpp store_order_test.cpp \
    window_test.cpp bounce_test.cpp virtual_process_test.cpp output_order_test.cpp)
$(eval $(call unit_test,driver_test,$(DRIVER_UNIT_TESTS) emulator/main/output_order.cpp,\
    emulator-driver emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
DRIVER_RUN_TESTS := $(addprefix tests/driver/,fabric_command.cpp run_test.cpp endpoint_test.cpp time_test.cpp \
    hostile_test.cpp free_test.cpp test_client.cpp)
$(eval $(call unit_test,driver_run_test,$(DRIVER_RUN_TESTS),,-lfmt))
$(BUILD)/tests/driver_run_test: | $(BUILD)/bin/myri-fabric $(BUILD)/tests/driver/client $(BUILD)/firmware/lanaix.bin \
    $(DATA_FILES)
