# SPDX-License-Identifier: BSD-3-Clause
# Whole programs over an emulated fabric. The C programs are linked by cc, as those of users are.
E2E_PROGRAMS := $(filter-out two_ends,$(basename $(notdir $(wildcard tests/e2e/*.c))))
E2E_BINARIES := $(addprefix $(BUILD)/tests/e2e/,$(E2E_PROGRAMS))
$(E2E_BINARIES): $(BUILD)/tests/e2e/%: $(BUILD)/obj/tests/e2e/%.o $(BUILD)/obj/tests/e2e/two_ends.o $(BUILD)/lib/libmyri.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -lpthread -o $@
DEPENDS += $(patsubst %,$(BUILD)/obj/tests/e2e/%.d,two_ends $(E2E_PROGRAMS))

# `check` builds all programs, libraries and images besides.
$(foreach s,verify bounce hand_overs determinism semantics killed bad_input free_running library_files many threads,$(eval $(call script_test,tests/e2e/$(s).sh,$(E2E_BINARIES))))
