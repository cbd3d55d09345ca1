# SPDX-License-Identifier: BSD-3-Clause
# Templates that the rules.mk files call. Each adds to PROGRAMS, LIBRARIES, TESTS or IMAGES.
#
#   $(eval $(call archive,NAME,SOURCES))                 build/lib/NAME.a
#   $(eval $(call program,NAME,SOURCES,ARCHIVES,LIBS))   build/bin/NAME
#   $(eval $(call unit_test,NAME,SOURCES,ARCHIVES,LIBS)) build/tests/NAME, run by `make check`
#   $(eval $(call benchmark,NAME,SOURCES,ARCHIVES,LIBS)) build/bench/NAME, built by `make bench`
#   $(eval $(call script_test,SCRIPT,NEEDS))             an executable script run by `make check` once NEEDS are built
#
# ARCHIVES are names as given to `archive`, in link order. LIBS are linker flags such as -lfmt.
# A unit test that has no main() gets doctest's.
# A unit test or a script exits 0 (passed), 77 (skipped) or anything else (failed).

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

object = $(addprefix $(BUILD)/obj/,$(addsuffix .o,$(basename $(1))))

define archive
LIBRARIES += $(BUILD)/lib/$(strip $(1)).a
DEPENDS += $(patsubst %.o,%.d,$(call object,$(2)))
$(BUILD)/lib/$(strip $(1)).a: $(call object,$(2))
endef

define linked
DEPENDS += $(patsubst %.o,%.d,$(call object,$(3)))
$(2): $(call object,$(3)) $(foreach a,$(4),$(BUILD)/lib/$(a).a)
$(2): LIBS = $(5)
endef

define program
PROGRAMS += $(BUILD)/bin/$(strip $(1))
$(call linked,$(1),$(BUILD)/bin/$(strip $(1)),$(2),$(3),$(4))
endef

define unit_test
TESTS += $(BUILD)/tests/$(strip $(1))
$(call linked,$(1),$(BUILD)/tests/$(strip $(1)),$(2),$(3) doctest-main,$(4))
endef

define benchmark
BENCHMARKS += $(BUILD)/bench/$(strip $(1))
$(call linked,$(1),$(BUILD)/bench/$(strip $(1)),$(2),$(3),$(4))
endef

define script_test
SCRIPT_TESTS += $(strip $(1))
SCRIPT_TEST_NEEDS += $(2)
endef

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(EXTRA_CXXFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/lib/%.a:
	@mkdir -p $(@D)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(filter %.o,$^)

link = $(call say,LINK,$@)$(CXX) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@

$(BUILD)/bin/%:
	@mkdir -p $(@D)
	$(link)

$(BUILD)/tests/%:
	@mkdir -p $(@D)
	$(link)

$(BUILD)/bench/%:
	@mkdir -p $(@D)
	$(link)
