#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages of all classes arrive once, in order and intact, whatever is done to packets on links, in SRAM and on the
# bus; and each fault that was injected has ended once.
# Usage: exchange.sh [MESSAGES]: so many in each run, half of them each way.
. "$(dirname "$0")/faulty.sh"
messages=${1:-3000}

# run FAULT...
run() {
    each_fault_ends "$@"
    for fault in "$@"; do
        injected "$fault"
        [ "$messages" -lt 100000 ] || grep "^$fault:" "$out/text"
    done
}

# The number of faults is what chance allows: within 5 standard deviations of 1 % of the packets. The bus draws for
# each of its transfers, which nobody counts here: there are several for a frame, and none for a short message.
injected() {
    count=$(sed -n "s/^$1: \([0-9]*\) injected.*/\1/p" "$out/text")
    packets=$(sed -n 's/^n[01]: \([0-9]*\) packets ([0-9]* bytes) out.*/\1/p' "$out/text" | awk '{ n += $1 } END { print n }')
    awk -v n="${count:-0}" -v p="$packets" -v bus="$1" 'BEGIN {
        mean = p * 0.01; spread = 5 * sqrt(mean)
        exit !(bus == "corrupt-pci" ? n > 0 && n < 8 * mean : n > mean - spread && n < mean + spread) }' ||
        fail "${count:-0} faults $1 for $packets packets"
}

run drop duplicate reorder corrupt
run corrupt-sram
run corrupt-pci
# The twin: a byte that is damaged behind all checks must be found.
messages=400
exchange 1 '' damage
says '^second: its bytes that are right: '
[ $failures -eq 0 ]
