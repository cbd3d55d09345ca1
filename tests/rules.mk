# SPDX-License-Identifier: BSD-3-Clause
# The targets that run tests. Tests themselves are named in the rules.mk of their own folders.

$(eval $(call archive,doctest-main,tests/doctest_main.cpp))

.PHONY: check check-built check-asan
# Packages first: the rest of the build must not start before they are there.
check: deps
	$(Q)$(MAKE) --no-print-directory check-built

# TESTS and SCRIPT_TESTS are complete only once every rules.mk is read, hence the second expansion.
.SECONDEXPANSION:
check-built: $$(TESTS) $$(SCRIPT_TEST_NEEDS) $$(PROGRAMS) $$(LIBRARIES) $$(IMAGES)
	@BUILD=$(BUILD) tests/run-tests $(BUILD)/test-logs $(TESTS) $(SCRIPT_TESTS)

check-asan: deps
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE=address,undefined check-built
