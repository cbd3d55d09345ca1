#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kill -9 in the middle of a transfer: the endpoint is free at once, what the peer waits for ends with a status, and
# the fabric keeps nothing of the process.
. "$(dirname "$0")/fabric.sh"

# Virtual time: 50 victims, each killed 0.4 ms later than the one before. 4 MiB take 17 ms and more.
# $PPID is the fabric's; the first victim is not counted, as the survivor comes at the same time.
# shellcheck disable=SC2016 # the commands' shells expand
fabric 0 --on n0 '
    files() { sleep 0.2; ls /proc/$PPID/fd | wc -l; }
    '"$programs"'/killed victim n1 0 0; [ $? -eq 137 ] || echo "victim 0 was not killed"
    echo "before: $(files) files"
    n=1; while [ $n -le 50 ]; do
        '"$programs"'/killed victim n1 $n $((n * 400)); [ $? -eq 137 ] || echo "victim $n was not killed"
        n=$((n + 1))
    done
    echo "after: $(files) files"
    '"$programs"'/killed last n1' --on n1 "$programs/killed survivor"
says '^51 victims, '
says 'all as expected$'
grep -q 'was not killed' "$out/stdout" && fail "a victim came to its end"
[ "$(sed -n 's/^before: //p' "$out/stdout")" = "$(sed -n 's/^after: //p' "$out/stdout")" ] ||
    fail "the fabric has other files open than before"
done=$(sed -n 's/^51 victims, \([0-9]*\) had.*/\1/p' "$out/stdout")
{ [ "$done" -gt 0 ] && [ "$done" -lt 40 ]; } || fail "$done of 51 had exchanged all: not points of the transfer"

# The same where nobody opens the endpoint again.
for victim in '4 1600' '5 2000' '8 30000' '9 100'; do
    fabric 0 --on n0 "$programs/killed victim n1 $victim" --on n1 "$programs/killed survivor 1"
    says 'at last: .*closed'
    says 'all as expected$'
done

# Free running: killed from outside, after a while of wall time.
start_fabric
files() { sleep 0.2 && find "/proc/$fabric_pid/fd" -type l | wc -l; }
memory() { grep -c memfd "/proc/$fabric_pid/maps"; }
before=$(files) memory_before=$(memory)
MYRI_HOST=n1 timeout 60 "$programs/killed" survivor >"$out/survivor" 2>&1 &
survivor=$!
n=0
for delay in 0.002 0.005 0.01 0.02 0.03 0.05 0.08 0.11 0.15 0.2 0.3; do
    MYRI_HOST=n0 "$programs/killed" victim n1 $n 20000000 >"$out/victim" 2>&1 &
    victim=$!
    sleep $delay
    kill -9 $victim
    wait $victim 2>/dev/null
    [ ! -s "$out/victim" ] || fail "victim $n: $(cat "$out/victim")"
    n=$((n + 1))
done
runs 0 env MYRI_HOST=n0 "$programs/killed" last n1
what="the survivor, free running"
wait $survivor || fail "exit $?: $(cat "$out/survivor")"
grep -q 'all as expected$' "$out/survivor" || fail "$(cat "$out/survivor")"
after=$(files)
[ "$before" -eq "$after" ] || fail "the fabric has $after files open, $before before"
[ "$(memory)" -eq "$memory_before" ] || fail "the fabric has kept mappings of dead processes"
stop_fabric

# Tools find out by themselves, whichever end is killed.
fabric 1 --free --on n0 'timeout -s KILL 1 mx_pingpong -d n1 -S 4194304 -E 4194305 -N 100000' --on n1 mx_pingpong
complains '^mx_pingpong: cannot '
fabric 1 --free --on n0 'timeout -s KILL 1 mx_pingpong' --on n1 'mx_pingpong -d n0 -S 4194304 -E 4194305 -N 100000'
complains '^mx_pingpong: cannot '
fabric 1 --on n0 'timeout -s KILL 1 mx_stream -d n1 -l 4194304 -N 1000000' --on n1 mx_stream
complains '^mx_stream: cannot '
finish
