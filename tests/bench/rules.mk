# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks. Cycle counts are exact and compared by `make check` with tests/bench/firmware-cycles.txt.
$(eval $(call benchmark,firmware_cycles,tests/bench/firmware_cycles.cpp,\
    rig emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
$(eval $(call benchmark,latency_split,tests/bench/latency_split.cpp,\
    rig emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
$(BUILD)/bench/firmware_cycles $(BUILD)/bench/latency_split: | $(BUILD)/firmware/lanaix.bin $(DATA_FILES)
$(eval $(call script_test,tests/bench/firmware-cycles.sh,$(BUILD)/bench/firmware_cycles))

.PHONY: bench bench-firmware
bench-firmware: $(BUILD)/bench/firmware_cycles $(BUILD)/firmware/lanaix.bin
	@$(BUILD)/bench/firmware_cycles

$(eval $(call benchmark,simulation_rate,tests/bench/simulation_rate.cpp,\
    rig emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
$(BUILD)/bench/simulation_rate: | $(BUILD)/firmware/lanaix.bin $(DATA_FILES) \
    $(BUILD)/firmware/toolchain/checksums-O2.bin $(BUILD)/firmware/toolchain/sorting_recursion-O2.bin

bench: $(BUILD)/bench/simulation_rate
	@$(BUILD)/bench/simulation_rate
