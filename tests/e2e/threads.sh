#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Several threads of a process in one endpoint, free running.
. "$(dirname "$0")/fabric.sh"

fabric 0 --free --on n0 "$programs/two_threads self"
says '^self: all as expected$'
fabric 0 --free --on n0 "$programs/thread_traffic sender n1" --on n1 "$programs/thread_traffic receiver n0"
says '^sender: all as expected$'
says '^receiver: all as expected$'
finish
