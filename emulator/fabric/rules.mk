# SPDX-License-Identifier: BSD-3-Clause
$(eval $(call archive,emulator-fabric,$(addprefix emulator/fabric/,channel.cpp crossbar.cpp fault_injector.cpp host_port.cpp \
    network.cpp packet_crc.cpp topology.cpp)))
