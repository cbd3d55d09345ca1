#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In virtual time a run depends on its seed and nothing else: two print the same bytes, with idle passes of the
# firmware skipped or not.
. "$(dirname "$0")/fabric.sh"

here=$PWD
# repeatable NAME ARGUMENTS...
repeatable() {
    name=$1
    shift
    fabric 0 "$@"
    keep "$name"
    # Whatever the environment and the place.
    PADDING=$(printf '%01234d' 0)
    export PADDING
    cd /
    fabric 0 "$@"
    cd "$here" || exit 1
    unset PADDING
    the_same_as "$name"
    fabric 0 --idle-skipping off "$@"
    the_same_as "$name"
}

repeatable pingpong --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -E 200000 -M 9 -N 4 -W 1 -V -v'
repeatable pingpong-blocking --on n0 'mx_pingpong -w' --on n1 'mx_pingpong -d n0 -E 50000 -M 9 -N 4 -V -w -v'
repeatable stream --on n0 mx_stream --on n1 'mx_stream -d n0 -l 3001 -N 60 -V -v'
repeatable stream-large --on n0 mx_stream --on n1 'mx_stream -d n0 -l 70001 -N 12 -V -v'
repeatable both-ways --on n0 mx_stream --on n1 'mx_stream -d n0 -l 10001 -N 30 -x -V -v'
repeatable dmabench --on n0 'mx_dmabench -E 4096 -N 5'
faulty='--drop 0.02 --duplicate 0.02 --reorder 0.02 --corrupt 0.02'
# shellcheck disable=SC2086 # words are meant
repeatable faults $faulty --on n0 mx_stream --on n1 'mx_stream -d n0 -l 9001 -N 60 -V -v'

# To the last cycle and fault, too. (Without skipping, the cards stand at another pass when the run ends.)
# shellcheck disable=SC2086
{
    fabric 0 --stats $faulty --on n0 mx_stream --on n1 'mx_stream -d n0 -l 9001 -N 60'
    complains '^n1: card: [0-9]+ cycles'
    keep statistics
    fabric 0 --stats $faulty --on n0 mx_stream --on n1 'mx_stream -d n0 -l 9001 -N 60'
    the_same_as statistics
}

# shellcheck disable=SC2086
fabric 0 --seed 2 $faulty --on n0 mx_stream --on n1 'mx_stream -d n0 -l 9001 -N 60 -V -v'
different_from faults

# Between two barriers the card may see stores in any order.
for seed in 1 2 3; do
    fabric 0 --seed $seed --shuffle-stores --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -E 100000 -M 5 -N 5 -V'
    fabric 0 --seed $seed --shuffle-stores --on n0 mx_stream --on n1 'mx_stream -d n0 -l 5000 -N 100 -x -V'
done
finish
