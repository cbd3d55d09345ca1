# SPDX-License-Identifier: BSD-3-Clause
# The archive holds what the tools share, the benchmark loops too; each tool is one file more.
$(eval $(call archive,tools,$(addprefix tools/,advice.cpp board_text.cpp boards.cpp counter_text.cpp dialogue.cpp \
    interrupt.cpp length_sequence.cpp options.cpp page_buffer.cpp pattern.cpp peer_table.cpp pingpong.cpp receiver.cpp report.cpp \
    run_tool.cpp session.cpp stream.cpp verifier.cpp)))

define tool
$(call program,$(1),tools/$(1).cpp,tools libmyri,-lfmt -pthread)
endef
$(foreach t,mx_info mx_pingpong mx_stream mx_dmabench mx_counters mx_peers,$(eval $(call tool,$(t))))

# IMAGES is complete only once every rules.mk is read.
.SECONDEXPANSION:
.PHONY: demo demo-built
# Packages first: the rest of the build must not start before they are there.
demo: deps
	+$(Q)$(parallel) demo-built
demo-built: $(addprefix $(BUILD)/bin/,mx_info mx_pingpong mx_stream mx_dmabench myri-fabric) $(BUILD)/bench/latency_split $$(IMAGES)
	$(Q)tools/demo $(BUILD)/bin
