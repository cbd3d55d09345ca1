#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Many processes that connect to each other at once: no deadlock, nobody refused, each message where it belongs.
. "$(dirname "$0")/fabric.sh"

# all_to_all PROCESSES HOSTS ARGUMENTS...: process 0 is the last command, because a run ends with that.
all_to_all() {
    processes=$1 hosts=$2
    shift 2
    n=$((processes - 1))
    while [ $n -ge 0 ]; do
        set -- "$@" --on "n$((n % hosts))" "$programs/all_to_all $n $processes $hosts"
        n=$((n - 1))
    done
    fabric 0 --hosts "$hosts" "$@"
    [ "$(grep -c '^: all as expected$' "$out/stdout")" -eq "$processes" ] || fail "not all $processes came to a good end"
}
all_to_all 4 2
all_to_all 4 1
all_to_all 32 8
all_to_all 16 4 --drop 0.01 --corrupt 0.01 --seed 3
all_to_all 12 3 --free
finish
