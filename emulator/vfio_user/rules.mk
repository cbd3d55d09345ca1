# SPDX-License-Identifier: BSD-3-Clause
$(eval $(call archive,emulator-vfio-user,$(addprefix emulator/vfio_user/,config_space.cpp device.cpp firmware_state.cpp \
    guest_bus.cpp guest_host.cpp guest_memory.cpp interrupt_lines.cpp message.cpp message_stream.cpp server.cpp session.cpp)))
