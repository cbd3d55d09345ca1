# SPDX-License-Identifier: BSD-3-Clause
# Messages through a fabric that damages, loses, repeats and reorders packets.
FAULT_PROGRAMS := $(addprefix $(BUILD)/tests/faults/,exchange outage)
$(FAULT_PROGRAMS): $(BUILD)/tests/faults/%: $(BUILD)/obj/tests/faults/%.o $(BUILD)/lib/libmyri.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -lpthread -o $@
DEPENDS += $(patsubst $(BUILD)/%,$(BUILD)/obj/%.d,$(FAULT_PROGRAMS))

FAULT_NEEDS := $(addprefix $(BUILD)/bin/,myri-fabric mx_info mx_pingpong) $(FAULT_PROGRAMS) $(BUILD)/firmware/lanaix.bin $(DATA_FILES)

$(foreach s,exchange bounced counters restart inject,$(eval $(call script_test,tests/faults/$(s).sh,$(FAULT_NEEDS))))

# The same with as many messages as the stack is required to stand.
.PHONY: check-faults
check-faults: $(FAULT_NEEDS)
	$(Q)BUILD=$(BUILD) tests/faults/exchange.sh 100000
$(eval $(call unit_test,event_faults_test,tests/faults/event_faults_test.cpp,emulator-faults emulator-fabric emulator-clock))
