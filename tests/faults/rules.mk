# SPDX-License-Identifier: BSD-3-Clause
# Messages through a fabric that damages, loses, repeats and reorders packets.
$(BUILD)/tests/faults/exchange: $(BUILD)/obj/tests/faults/exchange.o $(BUILD)/lib/libmyri.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -lpthread -o $@
DEPENDS += $(BUILD)/obj/tests/faults/exchange.d

FAULT_NEEDS := $(BUILD)/bin/myri-fabric $(BUILD)/tests/faults/exchange $(BUILD)/firmware/lanaix.bin $(DATA_FILES)

$(foreach s,exchange bounced counters,$(eval $(call script_test,tests/faults/$(s).sh,$(FAULT_NEEDS))))

# The same with as many messages as the stack is required to stand.
.PHONY: check-faults
check-faults: $(FAULT_NEEDS)
	$(Q)BUILD=$(BUILD) tests/faults/exchange.sh 100000
$(eval $(call unit_test,event_faults_test,tests/faults/event_faults_test.cpp,emulator-faults emulator-fabric emulator-clock))
