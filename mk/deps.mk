# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages that the build and the tests need. `make deps` prints the command and runs it only if something
# is missing; `demo` and `check` do it first. DEPS=no never installs.

DEBIAN_PACKAGES := g++ clang llvm libelf-dev libfmt-dev libcli11-dev nlohmann-json3-dev doctest-dev

# For check-asan, check-tsan and the fuzzers besides: clang's run-time.
SANITIZER_PACKAGES := libclang-rt-dev

.PHONY: deps sanitizer-deps
deps:
	@mk/install-packages "$(DEPS)" $(DEBIAN_PACKAGES)
sanitizer-deps:
	@mk/install-packages "$(DEPS)" $(DEBIAN_PACKAGES) $(SANITIZER_PACKAGES)
