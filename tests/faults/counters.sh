#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# With one kind of fault and eager messages only, the public counters of cards and endpoints account for each fault.
. "$(dirname "$0")/faulty.sh"
messages=3000
words='eager counters'

# run FAULT: afterwards $faults were injected, $sent packets left cards and $received have come.
run() {
    exchange 0 "--$1 0.02" ''
    says '^each fault has ended once$'
    faults=$(fate "$1" injected)
    sent=$(sum 'card: Packets sent')
    received=$(sum 'card: Packets received')
    [ "$faults" -gt 10 ] || fail "only $faults faults"
}
refused() {
    echo $(($(sum 'card: Unstripped route') + $(sum 'card: Unknown packet type') + $(sum 'card: Bad packet length') + \
        $(sum 'card: Refused, endpoint closed') + $(sum 'card: Refused, bad session') + \
        $(sum 'card: Frames of no open pull') + $(sum 'card: Frames that do not fit their pull') + \
        $(sum 'card: Refused, event or receive ring full') + $(sum 'card: Refused, bad grant')))
}

run drop
equal 'packets that did not come' $((sent - received)) "$faults"
equal 'bad checksums' "$(sum 'library: bad_checksum')" 0
[ "$(sum 'library: resends')" -gt 0 ] || fail 'nothing was sent again'

run duplicate
equal 'packets too many' $((received - sent)) "$faults"
[ "$(sum 'library: duplicates')" -ge "$(fate duplicate duplicate)" ] || fail 'fewer duplicates than faults'

run reorder
equal 'packets sent and received' "$sent" "$received"
equal 'bad checksums' "$(sum 'library: bad_checksum')" 0
[ "$(sum 'library: early')" -gt 0 ] || fail 'nothing came ahead of its turn'

# What has no route left, or a wrong one to nowhere, ends in the crossbar.
run corrupt
equal 'packets that did not come' $((sent - received)) "$(fate corrupt unroutable)"
equal 'bad CRCs' "$(sum 'card: Bad CRC')" $((faults - $(fate corrupt unroutable)))
equal 'bad checksums' "$(sum 'library: bad_checksum')" 0

# Unseen by the links: the card refuses what it can tell, and the library finds all else but padding and hints.
run corrupt-sram
equal 'packets sent and received' "$sent" "$received"
equal 'bad CRCs' "$(sum 'card: Bad CRC')" 0
equal 'refused or bad' \
    $(($(sum 'library: bad_checksum') + $(sum 'library: malformed') + $(sum 'library: strangers') + $(refused))) \
    $((faults - $(fate corrupt-sram unread) - $(fate corrupt-sram hint)))

# Only data crosses the bus where these faults are, so each of them is found by a checksum.
run corrupt-pci
equal 'packets sent and received' "$sent" "$received"
equal 'bad checksums' "$(sum 'library: bad_checksum')" "$faults"
[ $failures -eq 0 ]
