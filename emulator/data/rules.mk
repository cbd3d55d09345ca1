# SPDX-License-Identifier: BSD-3-Clause
# The data files stand in share/myri beside bin/ and tests/, as in an installed tree.
DATA_FILES := $(patsubst emulator/data/%,$(BUILD)/share/myri/%,$(wildcard emulator/data/*/*.json))
IMAGES += $(DATA_FILES)

$(BUILD)/share/myri/%.json: emulator/data/%.json
	@mkdir -p $(@D)
	$(call say,COPY,$<)cp $< $@
