# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks. Cycle counts are exact and compared by `make check` with tests/bench/firmware-cycles.txt.
$(eval $(call benchmark,firmware_cycles,tests/bench/firmware_cycles.cpp,\
    rig emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
$(BUILD)/bench/firmware_cycles: | $(BUILD)/firmware/lanaix.bin $(DATA_FILES)
$(eval $(call script_test,tests/bench/firmware-cycles.sh,$(BUILD)/bench/firmware_cycles))

.PHONY: bench bench-firmware
bench-firmware: $(BUILD)/bench/firmware_cycles $(BUILD)/firmware/lanaix.bin
	@$(BUILD)/bench/firmware_cycles
