#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The firmware takes exactly the cycles of the committed table. After a change that is meant to alter them:
#   make bench-firmware >tests/bench/firmware-cycles.txt
"${BUILD:-build}"/bench/firmware_cycles | diff -u tests/bench/firmware-cycles.txt -
