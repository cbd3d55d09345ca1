#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages of all classes, both ways, arrive once, in order and intact though a card's firmware stalls, or a word of its
# SRAM has bad parity, at any time of the exchange; a cable that is down for a while costs time and nothing else.
. "$(dirname "$0")/faulty.sh"
messages=240

# An exchange of so many messages takes about 3.5 ms.
n=0
while [ $n -lt 33 ]; do
    at=$((n * 110))us
    host=n$((n % 2))
    case $((n % 3)) in
    0) exchange 0 "--at $at:$host:stall" '' ;; # found later, and so the longer run
    *) exchange 0 "--at $at:$host:parity" '' ;;
    esac
    says "^second: $((messages / 2)) messages each way in [0-9]* us, 0 wrong\$"
    says "^myri-fabric: $host: the card has been restarted\$"
    n=$((n + 1))
done

for host in n0 n1; do
    exchange 0 "--at 1ms:$host:link-down --at 51ms:$host:link-down:0" ''
    says "^second: $((messages / 2)) messages each way in [0-9]* us, 0 wrong\$"
    ! grep -q 'card has' "$out/text" || fail "a cable that is down is no failure of a card"
done

# For ever: the sender is told within its time limit; its own card lives.
what='a cable that is down for ever'
timeout -k 5 70 "$build/bin/myri-fabric" run --max-time 60 --at 20ms:n0:link-down --on n0 "$build/tests/faults/outage sender n1" \
    --on n1 "$build/tests/faults/outage receiver n0" >"$out/text" 2>&1 </dev/null
[ $? -eq 0 ] || fail "exit $?"
says '^sender: ended by the limit of 3000 ms$'
says '^receiver: its receive is still posted$'

# Twice within a minute: the card is dead, requests end, and the other host's card is as it was.
what='a second failure'
timeout -k 5 70 "$build/bin/myri-fabric" run --max-time 60 --hosts 3 --at 1ms:n0:stall --at 5s:n0:stall \
    --on n1 "$build/tests/faults/exchange first n2 100 7" --on n2 "$build/tests/faults/exchange second n1 100 7" \
    --on n0 "$build/tests/faults/outage doomed n1; $build/bin/mx_info -q; $build/bin/mx_pingpong; echo pingpong \$?" \
    >"$out/text" 2>&1 </dev/null
[ $? -eq 0 ] || fail "exit $?"
says '^myri-fabric: n0: the card has been restarted$'
says '^myri-fabric: n0: the card is dead$'
says '^doomed: aborted, and then: The NIC is dead$'
says 'Status:.*Dead, its firmware stopped$'
says '^mx_pingpong: card n0:0 is dead: its firmware stopped$'
says '^pingpong 1$'
says '^first: 100 messages each way in [0-9]* us, 0 wrong$'
says '^second: 100 messages each way in [0-9]* us, 0 wrong$'
[ $failures -eq 0 ]
