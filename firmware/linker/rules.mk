# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
$(eval $(call archive,lanai-linker,$(addprefix firmware/linker/,object_file.cpp symbols.cpp layout.cpp relocation.cpp map_file.cpp link.cpp)))
$(eval $(call program,lanai-ld,firmware/linker/main.cpp,lanai-linker,-lelf -lfmt))
