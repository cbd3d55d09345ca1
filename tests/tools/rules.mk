# SPDX-License-Identifier: BSD-3-Clause
$(foreach t,options length_sequence pattern report dialogue peer_table,\
    $(eval $(call unit_test,tools_$(t)_test,tests/tools/$(t)_test.cpp,tools libmyri,-lfmt -pthread)))
# The stand-in takes libmyri's place.
$(eval $(call unit_test,tools_engine_test,tests/tools/engine_test.cpp tests/tools/fake_mx.cpp,tools,-lfmt -pthread))

TOOL_PROGRAMS := $(addprefix $(BUILD)/bin/,mx_info mx_pingpong mx_stream mx_dmabench mx_counters mx_peers)
$(eval $(call script_test,tests/tools/command_line.sh,$(TOOL_PROGRAMS)))
$(eval $(call script_test,tests/tools/end_to_end.sh,$(TOOL_PROGRAMS) $(BUILD)/bin/myri-fabric))
