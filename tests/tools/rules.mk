# SPDX-License-Identifier: BSD-3-Clause
$(foreach t,options length_sequence pattern report dialogue,\
    $(eval $(call unit_test,tools_$(t)_test,tests/tools/$(t)_test.cpp,tools libmyri,-lfmt -pthread)))
