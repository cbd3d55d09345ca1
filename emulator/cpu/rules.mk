# SPDX-License-Identifier: BSD-3-Clause
$(eval $(call archive,emulator-cpu,emulator/cpu/decode.cpp emulator/cpu/cpu.cpp emulator/cpu/execute.cpp))
$(eval $(call archive,emulator-cpu-text,emulator/cpu/disassemble.cpp))
$(eval $(call program,lanai-run,emulator/cpu/lanai_run.cpp emulator/cpu/profile.cpp,emulator-cpu-text emulator-cpu,-lfmt))
