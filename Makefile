# SPDX-License-Identifier: BSD-3-Clause
# libmyri: one non-recursive GNU Make build. Each folder's rules.mk names what it makes with the four
# templates of mk/templates.mk; `make help` lists the targets meant for people.

BUILD ?= build
LANAI_CC ?= clang
HOT := -O2
NO_UNDEFINED := -Wl,-z,defs

CPPFLAGS += -I. -Ilibmyri/include
WARNINGS := -Wall -Wextra -Wconversion -Werror
CFLAGS += -std=c11 $(HOT) -g1 $(WARNINGS)
CXXFLAGS += -std=c++20 $(HOT) -g1 $(WARNINGS)
include mk/sanitize.mk

# Tests and option parsers are compiled without optimisation: half the build time, and nothing there is hot. The rig and
# what is measured with it keep theirs.
NOT_HOT += $(BUILD)/obj/tests/% $(BUILD)/obj/tools/mx_% $(addprefix $(BUILD)/obj/,tools/options.o emulator/data_files.o \
    emulator/main/main.o emulator/cpu/lanai_run.o firmware/linker/main.o)
$(NOT_HOT): CXXFLAGS += -O0
$(BUILD)/obj/tests/rig/% $(BUILD)/obj/tests/bench/%: CXXFLAGS += $(HOT)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# For recipes: make again, with as many jobs as there are processors unless somebody has said how many.
parallel = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

include mk/templates.mk
include mk/deps.mk
include mk/lanai.mk
include $(wildcard */rules.mk */*/rules.mk)

.PHONY: all clean help
all: $(PROGRAMS) $(LIBRARIES) $(IMAGES)
clean:
	rm -rf $(BUILD)
help:
	@echo 'make                 build everything into build/'
	@echo 'make demo            two emulated cards, measured and compared with published figures'
	@echo 'make check           all tests'
	@echo 'make check-asan      most of them with address and undefined-behaviour sanitizers (a build of its own)'
	@echo 'make check-asan-full all of them'
	@echo 'make check-tsan      threads with the thread sanitizer'
	@echo 'make check-fuzz      random input for what reads bytes of strangers, a minute in all'
	@echo 'make fuzz            the same for long: FUZZ_SECONDS=600 each'
	@echo 'make check-faults    100 000 messages in each of three runs with injected faults (minutes)'
	@echo 'make kmod            the kernel module (docs/kernel.md), KDIR=headers; kmod-install, DESTDIR='
	@echo 'make vmtest          the kernel module in virtual machines (docs/vm.md); KERNELS="6.1 6.12 7.3", vmtest-long'
	@echo 'make vm              a shell in such a machine'
	@echo 'make kmod-matrix     builds the kernel module for each of these kernels, with W=1 and sparse'
	@echo 'make bench           benchmarks'
	@echo 'make bench-firmware  LANai cycles per message'
	@echo 'make deps            Debian packages needed; installs what is missing (DEPS=no: only says so)'
	@echo 'V=1 shows commands, BUILD=dir builds elsewhere'

-include $(DEPENDS)
