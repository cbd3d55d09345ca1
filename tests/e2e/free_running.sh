#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A fabric as fast as it goes: in one command, and in the background with programs from other terminals.
. "$(dirname "$0")/fabric.sh"

fabric 0 --free --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -E 300000 -M 5 -N 3 -V'
fabric 0 --free --on n0 mx_stream --on n1 'mx_stream -d n0 -l 20000 -N 50 -x -V'

# ticks: processor time of the fabric so far, in 10 ms.
ticks() { sed 's/.*) //' "/proc/$fabric_pid/stat" | awk '{ print $12 + $13 }'; }
# idle WHAT MOST: in 3 s the fabric uses at most so many ticks; 3 are 1 % of a processor.
idle() {
    sleep 0.5
    before=$(ticks)
    sleep 3
    used=$(($(ticks) - before))
    echo "$1: $used ticks of 10 ms in 3 s"
    what=$1
    [ "$used" -le "$2" ] || fail "the fabric uses $used ticks in 3 s"
}

start_fabric --hosts 3
idle "idle fabric" 3
runs 0 env MYRI_HOST=n2 "$bin/mx_info"
says '^Instance #0: '
runs 1 "$bin/mx_info" # nobody says which host
one_line 'n0 n1 n2'

# The other terminal: a receiver that stays, asleep in the driver.
MYRI_HOST=n1 "$bin/mx_pingpong" -s -w >"$out/receiver" 2>&1 &
receiver=$!
runs 0 env MYRI_HOST=n0 "$bin/mx_pingpong" -d n1 -E 100000 -M 7 -N 10 -V
runs 0 env MYRI_HOST=n2 "$bin/mx_pingpong" -d n1 -E 2000 -M 7 -N 10 -V -w
idle "fabric with a sleeping receiver" 9 # it looks around twice a second
kill -INT $receiver
status=0
wait $receiver || status=$?
[ $status -eq 130 ] || fail "the receiver: exit $status: $(cat "$out/receiver")" # interrupted

# The figure is for the reader: it depends on the machine.
MYRI_HOST=n1 "$bin/mx_pingpong" >"$out/receiver" 2>&1 &
receiver=$!
runs 0 env MYRI_HOST=n0 "$bin/mx_pingpong" -d n1 -E 1 -N 2000
awk '$1 == 0 { print "one way, no data, wall clock: " $2 " us" }' "$out/stdout"
wait $receiver || fail "the receiver: exit $?: $(cat "$out/receiver")"

# Two fabrics at one place are refused; the first goes on.
runs 1 "$bin/myri-fabric" start --socket "$out/socket"
complains 'listens there already'
runs 0 env MYRI_HOST=n0 "$bin/mx_counters"
stop_fabric
runs 1 "$bin/myri-fabric" stop --socket "$out/socket"
one_line "^myri-fabric: no fabric listens at $out/socket\$"
finish
