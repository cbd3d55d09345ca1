# SPDX-License-Identifier: BSD-3-Clause
# Whole programs over an emulated fabric; `check` has built all programs, libraries and images before.
$(foreach s,verify determinism,$(eval $(call script_test,tests/e2e/$(s).sh)))
