# SPDX-License-Identifier: BSD-3-Clause
$(foreach t,headers crc32c match environment fragments,\
    $(eval $(call unit_test,libmyri-$(t),tests/libmyri/$(t)_test.cpp,libmyri,-lpthread)))
$(eval $(call unit_test,libmyri-threads,tests/libmyri/threads_test.cpp,libmyri,-lpthread))
$(foreach t,messages repair registration restart bounce,\
    $(eval $(call unit_test,libmyri-$(t),tests/libmyri/$(t)_test.cpp tests/libmyri/fake_fabric.cpp tests/libmyri/fake_fabric_pulls.cpp,libmyri,-lpthread)))
$(foreach t,device sleep,\
    $(eval $(call unit_test,libmyri-$(t),tests/libmyri/$(t)_test.cpp tests/libmyri/fake_device.cpp,libmyri,-lpthread)))
$(eval $(call script_test,tests/libmyri/c-interface.sh,$(BUILD)/lib/libmyri.so.1 $(BUILD)/lib/libmyriexpress.so \
    $(BUILD)/lib/libmyriexpress.a))
# The library is without RTTI, so a class that derives from one of its must be too, and (for sanitizers) its users.
$(addprefix $(BUILD)/obj/tests/libmyri/,$(addsuffix .o,fake_fabric fake_fabric_pulls messages_test repair_test registration_test restart_test bounce_test \
    threads_test fake_device device_test sleep_test)): EXTRA_CXXFLAGS = -fno-rtti
