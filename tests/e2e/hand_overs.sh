#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Virtual time: how often processes and simulation take turns, which is what a run costs.
. "$(dirname "$0")/fabric.sh"

# at_most LENGTH EACH: a ping-pong takes at most so many turns for each message, and one for each millisecond.
at_most() {
    fabric 0 --stats --on n0 mx_pingpong --on n1 "mx_pingpong -d n0 -S $1 -E $(($1 + 1)) -N 100 -W 0"
    turns=$(sed -n 's/^hand-overs: //p' "$out/stderr")
    ms=$(sed -n 's/^virtual time: \([0-9]*\)[0-9]\{6\}\..*/\1/p' "$out/stderr")
    echo "$1 bytes: ${turns:-?} turns for 200 messages in ${ms:-0} ms"
    # (The ends' own dialogue is some ten messages.)
    [ "${turns:-1000000}" -le $((210 * $2 + ${ms:-0})) ] || fail "more than $2 turns for each message and one for each ms"
}
at_most 0 10
at_most 128 10
# A medium message's fragments come one by one, and so do a large one's blocks, which both ends hear of.
at_most 32768 $((10 + 8 * 2))
at_most 65536 $((10 + 2 * 5))
at_most 1048576 $((10 + 32 * 5))
finish
