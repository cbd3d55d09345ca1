# SPDX-License-Identifier: BSD-3-Clause
$(foreach t,relocation layout linker_errors,\
    $(eval $(call unit_test,toolchain-$(t),tests/toolchain/$(t)_test.cpp,lanai-linker,-lelf -lfmt)))
