# SPDX-License-Identifier: BSD-3-Clause
# make SANITIZE=address,undefined (or thread) BUILD=dir: everything with sanitizers, in a folder of its own.
# check-asan, check-tsan and check-fuzz (tests/rules.mk) use it.

ifdef SANITIZE
# clang, unless told otherwise: it has the fuzzer.
ifeq ($(origin CC),default)
CC := clang
endif
ifeq ($(origin CXX),default)
CXX := clang++
endif
HOT := -O1
# The checks of virtual calls and of function pointers need RTTI, which the library is without. A C program may pass
# any int where the API has an enum.
SANITIZERS := -fsanitize=$(SANITIZE) -fno-sanitize=vptr,function,enum -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS += $(SANITIZERS)
# (clang means more by -Wconversion than g++ does.)
CXXFLAGS += $(SANITIZERS) -Wno-sign-conversion
LDFLAGS += $(SANITIZERS)
# A shared library gets the sanitizers' run-time from the program.
NO_UNDEFINED :=
# The tools do little themselves.
NOT_HOT := $(BUILD)/obj/tools/%
ifneq (,$(and $(findstring address,$(SANITIZE)),$(findstring clang,$(CXX))))
# What tests/fuzz drives tells the fuzzer which ways are taken; other programs do not notice.
FUZZED := $(addprefix $(BUILD)/obj/,board/% firmware/linker/% libmyri/% emulator/driver/% emulator/vfio_user/% \
    emulator/data_files.o emulator/host/host_profile.o emulator/nic/card_profile.o)
$(FUZZED): CFLAGS += -fsanitize=fuzzer-no-link
$(FUZZED): CXXFLAGS += -fsanitize=fuzzer-no-link
endif
endif
