#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A running fabric: a card that stalls while its program is elsewhere comes back, and the progress thread takes the
# endpoint up again; a second stall is its end, for a program that blocks in a call, too. The other card goes on.
. "$(dirname "$0")/faulty.sh"
what=inject
export MYRI_FABRIC="$out/fabric"
fabric="$build/bin/myri-fabric"
"$fabric" start --socket "$MYRI_FABRIC" --hosts 2 --qemu "$out/qemu" >/dev/null 2>"$out/text" || exit 1
trap '"$fabric" stop; rm -rf "$out"' EXIT

# refused TEXT ARGUMENT...: status 1, and the words on stderr.
refused() {
    text=$1
    shift
    "$fabric" "$@" >"$out/text" 2>&1
    [ $? -eq 1 ] || fail "$* is not refused"
    says "$text"
}
refused 'host n7: no such host; there are n0 n1' inject n7 stall
refused 'fault drop: possible are stall, parity' inject n0 drop
refused 'fault link-down: value 2: 0 to 1 are possible' inject n0 link-down 2
refused 'time 5: a number' run --at 5:n0:stall --on n0 true
refused 'n9: no such host' run --at 5ms:n9:stall --on n0 true
refused 'no fabric listens at' inject --socket "$out/nobody" n0 stall

"$fabric" run --watchdog 1999 --on n0 true >"$out/text" 2>&1 && fail 'a watchdog of 1999 ms'
says 'Value 1999 not in range 2000 to 3600000'

"$fabric" inject n1 link-down || fail 'link-down'
MYRI_HOST=n1 "$build/bin/mx_info" -q | grep -q 'Link down' || fail 'the link is not down'
"$fabric" inject n1 link-down 0 || fail 'link up'
MYRI_HOST=n1 "$build/bin/mx_info" -q | grep -q 'Link up' || fail 'the link is not up'

# The card of a guest, n2, is no host of ours, but its cable is.
"$fabric" inject n2 link-down || fail "a guest's cable"
MYRI_HOST=n2 "$build/bin/mx_info" >"$out/text" 2>&1 && fail 'a guest has a board for local programs'
says 'the host n2 has no board'

MYRI_HOST=n0 "$build/tests/faults/outage" idle 6000 >"$out/idle" 2>&1 &
idle=$!
while ! grep -qs here "$out/idle"; do sleep 0.1; done
"$fabric" inject n0 stall || fail 'stall'
wait $idle || fail "idle ends with $?"
grep -q '^idle: 1 restarts$' "$out/idle" || fail "the idle program says: $(cat "$out/idle")"

MYRI_HOST=n0 timeout 60 "$build/tests/faults/outage" doomed n1 >"$out/doomed" 2>&1 &
doomed=$!
sleep 1
"$fabric" inject n0 stall || fail 'stall'
wait $doomed || fail "doomed ends with $?"
grep -q '^doomed: aborted, and then: The NIC is dead$' "$out/doomed" || fail "it says: $(cat "$out/doomed")"
MYRI_HOST=n0 "$build/bin/mx_info" -q 2>&1 | grep -q 'Dead, its firmware stopped' || fail 'mx_info does not say that it is dead'
MYRI_HOST=n0 timeout 20 "$build/bin/mx_pingpong" >"$out/text" 2>&1
[ $? -eq 1 ] || fail 'mx_pingpong on a dead card'
says 'card n0:0 is dead: its firmware stopped'
MYRI_HOST=n1 "$build/bin/mx_info" -q | grep -q 'Running, P0: Link up' || fail 'the other card'
[ $failures -eq 0 ]
