#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The same as exchange.sh where large messages go through the bounce areas of both ends.
# Usage: bounced.sh [MESSAGES]
. "$(dirname "$0")/faulty.sh"
messages=${1:-3000}
words=counters
MYRI_BOUNCE=1
export MYRI_BOUNCE

# run FAULT...
run() {
    each_fault_ends "$@"
    for fault in "$@"; do
        [ "$(fate "$fault" injected)" -gt 10 ] || fail "hardly any fault $fault"
    done
    # Each block is copied at either end, and once more if it had to be sent again.
    [ "$(sum 'library: copied_blocks')" -ge $((2 * $(sum 'library: blocks'))) ] || fail "blocks were not copied"
    [ "$(sum 'library: blocks')" -gt 100 ] || fail "hardly any block"
}
run drop duplicate reorder corrupt
run corrupt-sram
run corrupt-pci
[ "$(sum 'library: bad_blocks')" -gt 0 ] || fail "no block was damaged"
# The twin: a byte that is damaged behind all checks must be found.
messages=400
words=
exchange 1 '' damage
says '^second: its bytes that are right: '
# And without, nothing is copied.
MYRI_BOUNCE=0
words=counters
exchange 0 '' ''
equal 'copied blocks' "$(sum 'library: copied_blocks')" 0
[ $failures -eq 0 ]
