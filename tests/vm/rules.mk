# SPDX-License-Identifier: BSD-3-Clause
# The kernel module in virtual machines. KERNELS="6.1 6.12 7.3" runs the matrix; results are TAP, logs in build/vm/.
# Where the test bed cannot be had the reason is told, and that is no failure.
KERNELS ?= 6.1
VM_PACKAGES := python3-minimal busybox-static

# C programs that run in guests: over the bare device, and over the library.
VM_PROGRAMS := $(addprefix $(BUILD)/tests/vm/,$(filter-out device,$(basename $(notdir $(wildcard tests/vm/guest/*.c)))))
$(VM_PROGRAMS): $(BUILD)/tests/vm/%: $(BUILD)/obj/tests/vm/guest/%.o $(BUILD)/lib/vm_guest.a $(BUILD)/lib/libmyri.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -lpthread -o $@
DEPENDS += $(patsubst $(BUILD)/tests/vm/%,$(BUILD)/obj/tests/vm/guest/%.d,$(VM_PROGRAMS))
$(eval $(call archive,vm_guest,tests/vm/guest/device.c))
# For the machine itself.
VM_TSC := $(BUILD)/bin-vm/tsc
DEPENDS += $(BUILD)/obj/tests/vm/tsc.d
$(VM_TSC): $(BUILD)/obj/tests/vm/tsc.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $^ -o $@

.PHONY: vmtest vmtest-long vm vm-built vm-deps kmod-matrix
vm-deps: deps
	@mk/install-packages "$(DEPS)" $(VM_PACKAGES)
# Packages first: the rest of the build must not start before they are there.
vmtest vmtest-long vm kmod-matrix: vm-deps
	$(Q)$(MAKE) --no-print-directory vm-built
	$(Q)BUILD=$(BUILD) tests/vm/vmtest $(VM_OPTIONS) $(KERNELS) || [ $$? -eq 77 ]
vmtest-long: VM_OPTIONS += --long
vm: VM_OPTIONS += --shell
kmod-matrix: VM_OPTIONS += --build-only
kmod-matrix: KERNELS := 6.1 6.12 7.3

.SECONDEXPANSION:
vm-built: $$(PROGRAMS) $$(LIBRARIES) $$(IMAGES) $$(E2E_BINARIES) $$(VM_PROGRAMS) $(VM_TSC)
