#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the calls promise, on each path: an endpoint with itself, two endpoints of one card, two cards.
. "$(dirname "$0")/fabric.sh"

# both ARGUMENTS...: of the two commands, each must have come to its good end.
both() {
    fabric 0 "$@"
    says '^sender: all as expected$'
    says '^receiver: all as expected$'
}
for program in truncation ordering matching sizes timeouts completion; do
    fabric 0 --on n0 "$programs/$program self"
    says '^self: all as expected$'
    both --on n0 "$programs/$program sender n0" --on n0 "$programs/$program receiver n0"
    both --on n0 "$programs/$program sender n1" --on n1 "$programs/$program receiver n0"
done

# The same where packets are lost, doubled, late and damaged.
for program in truncation ordering matching sizes completion; do
    both --drop 0.01 --duplicate 0.01 --reorder 0.01 --corrupt 0.01 \
        --on n0 "$programs/$program sender n1" --on n1 "$programs/$program receiver n0"
done

# And free running, where the ends are really at work at the same time.
for program in truncation ordering matching sizes timeouts completion; do
    both --free --on n0 "$programs/$program sender n1" --on n1 "$programs/$program receiver n0"
done

fabric 0 --on n0 "$programs/calls"
says 'all as expected$'
both --on n0 "$programs/handler sender n1" --on n1 "$programs/handler receiver n0"
both --free --on n0 "$programs/handler sender n1" --on n1 "$programs/handler receiver n0"

# Closing at once, when one packet in five is lost as well.
both --on n0 "$programs/closing sender n1" --on n1 "$programs/closing receiver n0"
both --drop 0.2 --on n0 "$programs/closing sender n1" --on n1 "$programs/closing receiver n0"
both --free --on n0 "$programs/closing sender n1" --on n1 "$programs/closing receiver n0"

# Children; a registration that is kept must not outlive a copy of its pages.
for cache in 0 1; do
    for program in forked remapped; do
        both --free --on n0 "MX_RCACHE=$cache $programs/$program sender n1" --on n1 "MX_RCACHE=$cache $programs/$program receiver n0"
    done
done
finish
