# SPDX-License-Identifier: BSD-3-Clause
# Programs for the LANai. Templates:
#
#   $(eval $(call lanai_image,NAME,SOURCES,EXTRA_FLAGS))       build/firmware/NAME.bin and NAME.map, made by `all`
#   $(eval $(call lanai_test_image,NAME,SOURCES,EXTRA_FLAGS))  the same, made only if something needs it
#
# SOURCES are .c and .S with path from the root; start-up code and the compiler's helpers come by themselves.
# Set before the call, if wanted: NAME_OPT := -Os (default $(LANAI_OPT)), NAME_LDFLAGS := --limit 0x20000.

# Rules for C on the LANai, each for a fault of the compiler (tests/toolchain/compiler-faults.sh shows them):
# - shared memory and registers are read with load32() and its kind (firmware/chip/mmio.h), not as plain volatile;
# - no 64-bit argument to a variadic function: caller and callee look for it in different places;
# - no address of a label (computed goto) where it could become a constant: lanai-ld refuses the result.

LANAI_CC ?= clang
# Where objects for the LANai and the linker are: a build with sanitizers shares those of the plain one.
LANAI_BUILD ?= $(BUILD)
LANAI_OPT ?= -O2

# -disable-peephole: without it the compiler swaps a comparison wrongly (tests/toolchain/compiler-faults.sh).
LANAI_CFLAGS := --target=lanai -std=c11 -ffreestanding -nostdlibinc -mcmodel=small -mllvm -disable-peephole \
    -fno-strict-aliasing -fno-common -ffunction-sections -fdata-sections -Wall -Wextra -Wconversion -Werror \
    -Wno-unused-command-line-argument -I.

LANAI_RUNTIME := firmware/start.S $(addprefix firmware/runtime/,multiply.c divide.c shift.c memory.c)

lanai_object = $(addprefix $(LANAI_BUILD)/lanai/$(1)/,$(addsuffix .o,$(2)))

# (folder of the objects, sources, flags)
define lanai_objects
DEPENDS += $(patsubst %.o,%.d,$(call lanai_object,$(1),$(2)))
$(call lanai_object,$(1),$(2)): $(LANAI_BUILD)/lanai/$(1)/%.o: % mk/lanai.mk
	@mkdir -p $$(@D)
	$$(call say,LANAI,$$<)$$(LANAI_CC) $$(LANAI_CFLAGS) $(3) -MMD -MP -c $$< -o $$@
endef

# The run-time objects of one optimisation level, made known once: they are shared by the images of that level.
define lanai_runtime
$(if $(filter $(1),$(LANAI_RUNTIMES)),,LANAI_RUNTIMES += $(1)
$(call lanai_objects,runtime$(1),$(LANAI_RUNTIME),$(1) -fno-builtin))
endef

lanai_level = $(if $($(1)_OPT),$($(1)_OPT),$(LANAI_OPT))

# (name, sources, flags, optimisation level)
define lanai_linked
$(call lanai_runtime,$(4))
$(call lanai_objects,$(1),$(2),$(4) $(3))
$(BUILD)/firmware/$(1).bin $(BUILD)/firmware/$(1).map &: $(call lanai_object,runtime$(4),$(LANAI_RUNTIME)) \
    $(call lanai_object,$(1),$(2)) $(LANAI_BUILD)/bin/lanai-ld
	@mkdir -p $$(@D)
	$$(call say,LANAILD,$(BUILD)/firmware/$(1).bin)$(LANAI_BUILD)/bin/lanai-ld -o $(BUILD)/firmware/$(1).bin \
	    --map $(BUILD)/firmware/$(1).map $($(1)_LDFLAGS) $$(filter %.o,$$^)
endef

lanai_test_image = $(call lanai_linked,$(strip $(1)),$(2),$(3),$(call lanai_level,$(strip $(1))))

define lanai_image
IMAGES += $(BUILD)/firmware/$(strip $(1)).bin
$(call lanai_test_image,$(1),$(2),$(3))
endef
