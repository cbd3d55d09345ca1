#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages of all classes arrive once, in order and intact, whatever is done to packets on links, in SRAM and on the bus.
# Usage: exchange.sh [MESSAGES]: so many in each run, half of them each way.
set -u
messages=${1:-3000}
build=$(cd "${BUILD:-build}" && pwd) || exit 1
exchange=$build/tests/faults/exchange
out=$(mktemp -d) || exit 1
export TMPDIR="$out"
trap 'rm -rf "$out"' EXIT
trap 'exit 1' INT TERM HUP
limit=$((60 + messages / 50)) # seconds
failures=0
seed=0

fail() {
    echo "FAILED: $what: $*"
    tail -n 30 "$out/text"
    failures=$((failures + 1))
}

# run STATUS FAULT...: an exchange with each of the faults at 0.01; the exit status is that of the second end.
run() {
    wanted=$1
    shift
    seed=$((seed + 1))
    what="${*:-no faults}, seed $seed"
    options=
    for fault in "$@"; do options="$options --$fault 0.01"; done
    # shellcheck disable=SC2086 # options are words
    timeout -k 5 $((limit + 10)) "$build/bin/myri-fabric" run --max-time $limit --stats --seed $seed $options \
        --on n0 "$exchange first n1 $((messages / 2)) $seed" \
        --on n1 "$exchange second n0 $((messages / 2)) $seed $extra" >"$out/text" 2>&1 </dev/null
    status=$?
    [ $status -eq "$wanted" ] || fail "exit $status, wanted $wanted"
    grep -q "^first: $((messages / 2)) messages each way in [0-9]* us, 0 wrong\$" "$out/text" || fail "the first end"
    for fault in "$@"; do injected "$fault"; done
}

# The number of faults is what chance allows: within 5 standard deviations of 1 % of the packets. The bus draws for
# each of its transfers, which nobody counts here; there are at least as many as packets with data.
injected() {
    count=$(sed -n "s/^$1: \([0-9]*\) injected.*/\1/p" "$out/text")
    packets=$(sed -n 's/^n[01]: \([0-9]*\) packets ([0-9]* bytes) out.*/\1/p' "$out/text" | awk '{ n += $1 } END { print n }')
    awk -v n="${count:-0}" -v p="$packets" -v bus="$1" 'BEGIN {
        mean = p * 0.01; sigma = sqrt(mean)
        exit !(n > mean - 5 * sigma - mean * (bus == "corrupt-pci") && n > 0 && (n < mean + 5 * sigma || bus == "corrupt-pci")) }' ||
        fail "${count:-0} faults $1 for $packets packets"
}

extra=
run 0 drop duplicate reorder corrupt
run 0 corrupt-sram
run 0 corrupt-pci
# The twin: a byte that is damaged behind all checks must be found.
messages=400
extra=damage
run 1
grep -q '^second: its bytes that are right: ' "$out/text" || fail "does not say where"
[ $failures -eq 0 ]
