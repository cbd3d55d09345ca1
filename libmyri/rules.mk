# SPDX-License-Identifier: BSD-3-Clause
# The library, static and shared, under its own name and the names that MX programs link.

LIBMYRI_SOURCES := $(sort $(wildcard libmyri/*.cpp))
LIBMYRI_OBJECTS := $(call object,$(LIBMYRI_SOURCES))

$(eval $(call archive,libmyri,$(LIBMYRI_SOURCES)))

# A C library outside: nothing may need the C++ runtime, so that cc links the archive.
$(LIBMYRI_OBJECTS): EXTRA_CXXFLAGS = -fPIC -fvisibility=default -fno-exceptions -fno-rtti -fno-threadsafe-statics

$(BUILD)/lib/libmyri.so.1: $(LIBMYRI_OBJECTS) libmyri/libmyri.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) -shared -Wl,-soname,libmyri.so.1 -Wl,--version-script=libmyri/libmyri.map \
	    $(NO_UNDEFINED) -Wl,-Bsymbolic $(filter %.o,$^) -static-libgcc -lpthread -o $@

LIBMYRI_LINKS := $(addprefix $(BUILD)/lib/,libmyri.so libmyriexpress.so libmx.so)
$(LIBMYRI_LINKS): $(BUILD)/lib/libmyri.so.1
	$(Q)ln -sf libmyri.so.1 $@
$(BUILD)/lib/libmyriexpress.a: $(BUILD)/lib/libmyri.a
	$(Q)ln -sf libmyri.a $@

LIBRARIES += $(BUILD)/lib/libmyri.so.1 $(LIBMYRI_LINKS) $(BUILD)/lib/libmyriexpress.a
