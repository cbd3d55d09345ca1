# SPDX-License-Identifier: GPL-2.0-only
# myri.ko. Kernel sources and ours do not share a build: the module is built in a copy, build/kmod-VERSION/.
#
#   make kmod [KDIR=headers]   default: the running kernel's headers, else the newest installed ones
#   make kmod-install          module, firmware image, udev files below DESTDIR; depmod

KMOD_SOURCES := $(addprefix kmod/,module.c pci.c boot.c interrupt.c commands.c recover.c peers.c device.c mapping.c \
    wait.c endpoint.c parts.c window.c pages.c notifier.c sysfs.c debugfs.c)

KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) \
    $(lastword $(sort $(wildcard /lib/modules/*/build))) $(lastword $(sort $(wildcard /usr/src/linux-headers-*-*64))))
KMOD_VERSION = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)
KMOD = $(BUILD)/kmod-$(KMOD_VERSION)
# sparse looks at everything that is compiled, where it is installed.
KMOD_SPARSE = $(if $(shell command -v sparse),C=1 CF=-Wsparse-error)

.PHONY: kmod kmod-install
kmod:
	@test -e "$(KDIR)/include/generated/utsrelease.h" || \
	    { echo "no kernel headers: KDIR is '$(KDIR)' (apt install linux-headers-amd64, or make kmod KDIR=...)" >&2; exit 1; }
	@mkdir -p $(KMOD)/kmod $(KMOD)/board $(KMOD)/abi
	@cp -pu $(KMOD_SOURCES) kmod/*.h $(KMOD)/kmod/
	@cp -pu $(BOARD_SOURCES) board/*.h $(KMOD)/board/
	@cp -pu abi/*.h $(KMOD)/abi/
	@printf '%s\n' 'obj-m := myri.o' 'myri-y := $(KMOD_SOURCES:.c=.o) $(BOARD_SOURCES:.c=.o)' 'ccflags-y := -I$$(src)' \
	    >$(KMOD)/Kbuild.new
	@cmp -s $(KMOD)/Kbuild.new $(KMOD)/Kbuild || cp $(KMOD)/Kbuild.new $(KMOD)/Kbuild
	$(call say,KMOD,$(KMOD)/myri.ko)$(MAKE) --no-print-directory -C $(KDIR) M=$(abspath $(KMOD)) W=1 $(KMOD_SPARSE) \
	    KCFLAGS=-Werror modules

kmod-install: kmod $(BUILD)/firmware/lanaix.bin
	install -D -m 644 $(KMOD)/myri.ko $(DESTDIR)/lib/modules/$(KMOD_VERSION)/extra/myri.ko
	install -D -m 644 $(BUILD)/firmware/lanaix.bin $(DESTDIR)/lib/firmware/myri/lanaix.bin
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KMOD_VERSION)
