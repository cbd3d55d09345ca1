# SPDX-License-Identifier: GPL-2.0-only
# myri.ko. Kernel sources and ours do not share a build: the module is built in a copy, build/kmod-VERSION/.
#
#   make kmod [KDIR=headers]   default: the running kernel's headers, else the newest installed ones
#   make kmod-install          module, firmware image, udev files below DESTDIR; depmod
#   make kmod-dkms             the sources for DKMS, in DESTDIR/usr/src/myri-VERSION, and the same other files

KMOD_SOURCES := $(addprefix kmod/,module.c pci.c boot.c interrupt.c commands.c recover.c peers.c device.c mapping.c \
    wait.c endpoint.c parts.c window.c pages.c notifier.c sysfs.c debugfs.c)

KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) \
    $(lastword $(sort $(wildcard /lib/modules/*/build))) $(lastword $(sort $(wildcard /usr/src/linux-headers-*-*64))))
KMOD_VERSION = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)
KMOD = $(BUILD)/kmod-$(KMOD_VERSION)
# Maintainers' checks, for which warnings are errors: W=1, and sparse where it is installed (0.6.4 does not know a keyword
# that Linux 7 uses). KMOD_CHECKS=no builds as DKMS does, with whatever compiler is there.
KMOD_CHECKS ?= yes
KMOD_SPARSE = $(if $(shell command -v sparse),C=1 CF="-Wsparse-error -D__typeof_unqual__=__typeof__")
KMOD_FLAGS = $(if $(filter yes,$(KMOD_CHECKS)),W=1 $(KMOD_SPARSE) KCFLAGS=-Werror)

.PHONY: kmod kmod-install kmod-dkms
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
	$(call say,KMOD,$(KMOD)/myri.ko)$(MAKE) --no-print-directory -C $(KDIR) M=$(abspath $(KMOD)) $(KMOD_FLAGS) modules

# What the module needs beside itself. limits.conf is for the administrator to decide.
.PHONY: kmod-files
kmod-files: $(BUILD)/firmware/lanaix.bin
	install -D -m 644 $(BUILD)/firmware/lanaix.bin $(DESTDIR)/lib/firmware/myri/lanaix.bin
	install -D -m 644 udev/60-myri.rules $(DESTDIR)/usr/lib/udev/rules.d/60-myri.rules
	install -D -m 644 udev/sysusers.conf $(DESTDIR)/usr/lib/sysusers.d/myri.conf
	install -D -m 644 udev/modules-load.conf $(DESTDIR)/usr/lib/modules-load.d/myri.conf
	$(if $(DESTDIR),,if command -v systemd-sysusers; then systemd-sysusers myri.conf; fi)
	$(if $(DESTDIR),,if command -v udevadm; then udevadm control --reload || true; fi)

kmod-install: kmod kmod-files
	install -D -m 644 $(KMOD)/myri.ko $(DESTDIR)/lib/modules/$(KMOD_VERSION)/extra/myri.ko
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KMOD_VERSION)

KMOD_RELEASE = $(shell sed -n 's/.*MYRI_VERSION "\(.*\)"/\1/p' kmod/myri.h)
KMOD_DKMS = $(DESTDIR)/usr/src/myri-$(KMOD_RELEASE)
kmod-dkms: kmod-files
	install -d $(KMOD_DKMS)
	cp -pr Makefile mk abi board kmod $(KMOD_DKMS)/
	sed 's/@VERSION@/$(KMOD_RELEASE)/' kmod/dkms.conf >$(KMOD_DKMS)/dkms.conf
