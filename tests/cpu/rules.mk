# SPDX-License-Identifier: BSD-3-Clause
CPU_TESTS := encodings_test addressing_test jumps_test random_alu_test timing_test idle_test traps_test random_code_test watched_test
$(eval $(call unit_test,cpu_test,$(CPU_TESTS:%=tests/cpu/%.cpp) tests/cpu/alu_reference.cpp,emulator-cpu))
$(eval $(call unit_test,cpu_llvm_mc_test,tests/cpu/llvm_mc_test.cpp,emulator-cpu-text emulator-cpu,-lfmt))
$(eval $(call lanai_test_image,cpu-throughput,tests/cpu/throughput.c))
$(eval $(call script_test,tests/cpu/lanai-run.sh,$(BUILD)/bin/lanai-run $(BUILD)/firmware/cpu-throughput.bin))
