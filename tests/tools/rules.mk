# SPDX-License-Identifier: BSD-3-Clause
$(foreach t,options length_sequence pattern report dialogue,\
    $(eval $(call unit_test,tools_$(t)_test,tests/tools/$(t)_test.cpp,tools libmyri,-lfmt -pthread)))
# The stand-in takes libmyri's place.
$(eval $(call unit_test,tools_engine_test,tests/tools/engine_test.cpp tests/tools/fake_mx.cpp,tools,-lfmt -pthread))
