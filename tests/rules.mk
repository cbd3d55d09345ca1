# SPDX-License-Identifier: BSD-3-Clause
# The targets that run tests. Tests themselves are named in the rules.mk of their own folders.

$(eval $(call archive,doctest-main,tests/doctest_main.cpp))

.PHONY: check check-built
# Packages first: the rest of the build must not start before they are there.
check: deps
	+$(Q)$(parallel) check-built

# TESTS and SCRIPT_TESTS are complete only once every rules.mk is read, hence the second expansion.
.SECONDEXPANSION:
check-built: $$(TESTS) $$(SCRIPT_TEST_NEEDS) $$(PROGRAMS) $$(LIBRARIES) $$(IMAGES)
	@BUILD=$(BUILD) tests/run-tests $(BUILD)/test-logs $(TESTS) $(SCRIPT_TESTS)

# ---- with sanitizers: each kind has a folder of its own, and takes firmware and its linker from the plain build ----
sanitized = $(parallel) BUILD=$(BUILD)/$(1) LANAI_BUILD=$(BUILD) SANITIZE=$(2)

.PHONY: check-asan check-asan-full check-tsan check-fuzz fuzz sanitizer-base
sanitizer-base: sanitizer-deps
	+$(Q)$(parallel) $(BUILD)/bin/lanai-ld

check-asan: sanitizer-base
	+$(Q)$(call sanitized,asan,address$(,)undefined) check-sanitized
check-asan-full: sanitizer-base
	+$(Q)$(call sanitized,asan,address$(,)undefined) check-built
check-tsan: sanitizer-base
	+$(Q)$(parallel) fabric-built
	+$(Q)$(call sanitized,tsan,thread) check-threads
check-fuzz fuzz: sanitizer-base
	+$(Q)$(call sanitized,asan,address$(,)undefined) $@-built

, := ,

# The unit tests, except one of text for people, and messages between whole processes, a few at a time.
.PHONY: check-sanitized check-threads fabric-built
SANITIZED_TESTS = $(filter-out %/cpu_llvm_mc_test,$(TESTS))
SANITIZED_SCRIPTS := $(addprefix tests/,e2e/semantics.sh e2e/threads.sh faults/exchange.sh)
check-sanitized: $$(SANITIZED_TESTS) $$(E2E_BINARIES) $$(FAULT_NEEDS)
	@BUILD=$(BUILD) tests/run-tests $(BUILD)/test-logs $(SANITIZED_TESTS) $(SANITIZED_SCRIPTS)

# The thread sanitizer sees what threads of one process do to each other. Rings and windows that are shared with another
# process are plain memory to it. The emulator, which has one thread, is the plain one.
fabric-built: $(BUILD)/bin/myri-fabric $(BUILD)/firmware/lanaix.bin $$(DATA_FILES)
THREAD_TESTS := $(BUILD)/tests/libmyri-threads
check-threads: $(THREAD_TESTS) $(addprefix $(BUILD)/tests/e2e/,two_threads thread_traffic)
	@BUILD=$(BUILD) BIN=$(abspath $(LANAI_BUILD))/bin tests/run-tests $(BUILD)/test-logs $(THREAD_TESTS) tests/e2e/threads.sh
