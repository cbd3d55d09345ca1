# SPDX-License-Identifier: BSD-3-Clause
$(eval $(call archive,emulator-faults,$(addprefix emulator/faults/,event_faults.cpp packet_trail.cpp)))
