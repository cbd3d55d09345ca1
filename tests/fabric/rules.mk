# SPDX-License-Identifier: BSD-3-Clause
$(eval $(call unit_test,test_fabric,$(addprefix tests/fabric/,timing_test.cpp flow_test.cpp crc_test.cpp \
    fault_test.cpp),emulator-fabric emulator-clock))
