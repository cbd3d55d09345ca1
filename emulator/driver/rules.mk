# SPDX-License-Identifier: BSD-3-Clause
EMULATOR_DRIVER_SOURCES := $(addprefix emulator/driver/,bounce_area.cpp client.cpp client_attach.cpp \
    client_requests.cpp clock_page.cpp command_clock.cpp driver_service.cpp endpoint_memory.cpp event_loop.cpp \
    host_driver.cpp host_driver_board.cpp host_driver_recovery.cpp inject.cpp patience.cpp socket_frames.cpp \
    store_order.cpp user_memory.cpp virtual_process.cpp window_table.cpp)
$(eval $(call archive,emulator-driver,$(EMULATOR_DRIVER_SOURCES)))
