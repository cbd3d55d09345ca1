# SPDX-License-Identifier: BSD-3-Clause
# The targets that run tests. Tests themselves are named in the rules.mk of their own folders.

.PHONY: check check-asan
# TESTS and SCRIPT_TESTS are complete only once every rules.mk is read, hence the second expansion.
.SECONDEXPANSION:
check: $$(TESTS) $$(SCRIPT_TEST_NEEDS) $$(PROGRAMS) $$(LIBRARIES) $$(IMAGES)
	@BUILD=$(BUILD) tests/run-tests $(BUILD)/test-logs $(TESTS) $(SCRIPT_TESTS)

check-asan:
	$(Q)$(MAKE) BUILD=$(BUILD)/asan SANITIZE=address,undefined check
