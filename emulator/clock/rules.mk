# SPDX-License-Identifier: BSD-3-Clause
EMULATOR_CLOCK_SOURCES := $(addprefix emulator/clock/,scheduler.cpp timeline.cpp)
$(eval $(call archive,emulator-clock,$(EMULATOR_CLOCK_SOURCES)))
