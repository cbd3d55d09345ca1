# SPDX-License-Identifier: BSD-3-Clause
# Programs that give random bytes, changed so that they take new ways, to whatever reads bytes of strangers.
# They are built with SANITIZE=address,undefined only: `make check-fuzz` and `make fuzz` see to that.
ifdef SANITIZE
FUZZERS :=
define fuzzer
FUZZERS += $(BUILD)/fuzz/$(strip $(1))
$(call linked,$(1),$(BUILD)/fuzz/$(strip $(1)),tests/fuzz/$(strip $(1)).cpp $(2),$(3),$(4))
endef
EMULATOR_ARCHIVES := emulator-vfio-user emulator-driver emulator-faults emulator-host emulator-nic emulator-cpu \
    emulator-fabric emulator-clock board

$(eval $(call fuzzer,eeprom_strings,,board))
$(eval $(call fuzzer,firmware_image,tests/board/fake_card.cpp,board))
$(eval $(call fuzzer,object_file,,lanai-linker,-lelf -lfmt))
$(eval $(call fuzzer,data_file,,emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock,-lfmt))
$(eval $(call fuzzer,driver_socket,emulator/main/machines.cpp emulator/main/socket_place.cpp,$(EMULATOR_ARCHIVES),-lfmt))
$(eval $(call fuzzer,vfio_user,,$(EMULATOR_ARCHIVES),-lfmt))
$(eval $(call fuzzer,packets,tests/libmyri/fake_fabric.cpp tests/libmyri/fake_fabric_pulls.cpp,libmyri,-lpthread))

$(BUILD)/fuzz/%: LDFLAGS += -fsanitize=fuzzer
$(BUILD)/fuzz/%:
	@mkdir -p $(@D)
	$(link)

# FUZZ_SECONDS: for each program.
.PHONY: check-fuzz-built fuzz-built
check-fuzz-built: FUZZ_SECONDS ?= 8
fuzz-built: FUZZ_SECONDS ?= 600
check-fuzz-built fuzz-built: $(FUZZERS) $(BUILD)/firmware/lanaix.bin $(DATA_FILES)
	@BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) TEST_TIMEOUT=$$(($(FUZZ_SECONDS) + 60)) TEST_WITH=tests/fuzz/run \
	    tests/run-tests $(BUILD)/fuzz-logs $(FUZZERS)
endif
