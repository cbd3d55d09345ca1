# SPDX-License-Identifier: BSD-3-Clause
EMULATOR_HOST_SOURCES := emulator/data_files.cpp $(addprefix emulator/host/,\
    bus_map.cpp coroutine.cpp emulated_host.cpp host_profile.cpp pci_bus.cpp)
$(eval $(call archive,emulator-host,$(EMULATOR_HOST_SOURCES)))
