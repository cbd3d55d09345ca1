# SPDX-License-Identifier: BSD-3-Clause
$(foreach t,relocation layout linker_errors,\
    $(eval $(call unit_test,toolchain-$(t),tests/toolchain/$(t)_test.cpp,lanai-linker,-lelf -lfmt)))

# Each program runs natively and, at three optimisation levels, on the LANai; their outputs must be equal.
TOOLCHAIN_PROGRAMS := checksums sorting_recursion wide_arithmetic switches calls comparisons memory division
TOOLCHAIN_LEVELS := O1 O2 Os

# The native twin. Not through `unit_test`: it is no test by itself.
define toolchain_program
$(call linked,$(1),$(BUILD)/tests/toolchain/$(1),tests/toolchain/programs/$(1).c,,)
$(foreach l,$(TOOLCHAIN_LEVELS),$(eval toolchain/$(1)-$(l)_OPT := -$(l))
$(call lanai_test_image,toolchain/$(1)-$(l),tests/toolchain/programs/$(1).c,))
endef
$(foreach p,$(TOOLCHAIN_PROGRAMS),$(eval $(call toolchain_program,$(p))))
$(eval $(call script_test,tests/toolchain/programs.sh,$(BUILD)/bin/lanai-run \
    $(addprefix $(BUILD)/tests/toolchain/,$(TOOLCHAIN_PROGRAMS)) \
    $(foreach p,$(TOOLCHAIN_PROGRAMS),$(foreach l,$(TOOLCHAIN_LEVELS),$(BUILD)/firmware/toolchain/$(p)-$(l).bin))))

# The compiler's faults, each with a twin that lacks what avoids it.
$(eval $(call lanai_test_image,toolchain/fault-comparison,tests/toolchain/faults/comparison.c,))
$(eval $(call lanai_test_image,toolchain/fault-comparison-unguarded,tests/toolchain/faults/comparison.c,))
$(call lanai_object,toolchain/fault-comparison-unguarded,tests/toolchain/faults/comparison.c): \
    LANAI_CFLAGS := $(filter-out -mllvm -disable-peephole,$(LANAI_CFLAGS))
$(eval $(call lanai_objects,toolchain/fault-read-order,tests/toolchain/faults/read_order.c,-O2))
$(eval $(call lanai_objects,toolchain/fault-read-order-unguarded,tests/toolchain/faults/read_order.c,-O2 -DPLAIN_VOLATILE))
$(eval $(call lanai_objects,toolchain/fault-label-address,tests/toolchain/faults/label_address.c,-O2))
$(eval $(call lanai_test_image,toolchain/fault-wide-variadic,tests/toolchain/faults/wide_variadic.c,))
$(eval $(call script_test,tests/toolchain/compiler-faults.sh,$(BUILD)/bin/lanai-run \
    $(call lanai_object,toolchain/fault-label-address,tests/toolchain/faults/label_address.c) \
    $(BUILD)/firmware/toolchain/fault-wide-variadic.bin \
    $(BUILD)/firmware/toolchain/fault-comparison.bin $(BUILD)/firmware/toolchain/fault-comparison-unguarded.bin \
    $(call lanai_object,toolchain/fault-read-order,tests/toolchain/faults/read_order.c) \
    $(call lanai_object,toolchain/fault-read-order-unguarded,tests/toolchain/faults/read_order.c)))

$(eval $(call script_test,tests/toolchain/lanai-ld.sh,$(BUILD)/bin/lanai-ld \
    $(call lanai_object,runtime-O2,firmware/start.S) \
    $(call lanai_object,toolchain/fault-comparison,tests/toolchain/faults/comparison.c) \
    $(call lanai_object,toolchain/fault-comparison-unguarded,tests/toolchain/faults/comparison.c)))

$(eval $(call lanai_test_image,toolchain/start-up,tests/toolchain/start_up.c,))
$(eval $(call script_test,tests/toolchain/start-up.sh,$(BUILD)/bin/lanai-run $(BUILD)/firmware/toolchain/start-up.bin))
