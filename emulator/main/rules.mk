# SPDX-License-Identifier: BSD-3-Clause
MYRI_FABRIC_SOURCES := $(addprefix emulator/main/,command.cpp free_run.cpp inject_command.cpp machines.cpp main.cpp \
    output_order.cpp peer_file.cpp run.cpp socket_place.cpp start.cpp stop_signal.cpp timed_fault.cpp)
$(eval $(call program,myri-fabric,$(MYRI_FABRIC_SOURCES),\
    emulator-vfio-user emulator-driver emulator-faults emulator-host emulator-nic emulator-cpu emulator-fabric emulator-clock board,-lfmt))
