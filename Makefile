# SPDX-License-Identifier: BSD-3-Clause
# libmyri: one non-recursive GNU Make build. Each folder's rules.mk names what it makes with the four
# templates of mk/templates.mk; `make help` lists the targets meant for people.

BUILD ?= build
CXX ?= g++
CC ?= gcc
LANAI_CC ?= clang

CPPFLAGS += -I. -Ilibmyri/include
WARNINGS := -Wall -Wextra -Wconversion -Werror
CFLAGS += -std=c11 -O2 -g $(WARNINGS)
CXXFLAGS += -std=c++20 -O2 -g $(WARNINGS)
LDFLAGS +=

# make SANITIZE=address,undefined builds into its own folder; check-asan uses it.
ifdef SANITIZE
CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
CXXFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SANITIZE)
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

include mk/templates.mk
include mk/lanai.mk
include $(wildcard */rules.mk */*/rules.mk)

.PHONY: all clean
all: $(PROGRAMS) $(LIBRARIES) $(IMAGES)
clean:
	rm -rf $(BUILD)

-include $(DEPENDS)
