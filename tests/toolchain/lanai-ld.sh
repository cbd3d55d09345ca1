#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The program lanai-ld: exit status, messages on stderr, equal bytes for equal input, and objects that come from the
# real compiler.
build=$(cd "${BUILD:-build}" && pwd)
ld=$build/bin/lanai-ld
start=$build/lanai/runtime-O2/firmware/start.S.o
main=$build/lanai/toolchain/fault-comparison/tests/toolchain/faults/comparison.c.o
other=$build/lanai/toolchain/fault-comparison-unguarded/tests/toolchain/faults/comparison.c.o
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# expect STATUS TEXT ARGUMENTS...: the exit status, and a text that stderr must hold
expect() {
    status=$1 text=$2
    shift 2
    timeout 20 "$ld" "$@" >out 2>err
    got=$?
    if [ $got -ne "$status" ] || { [ -n "$text" ] && ! grep -qF -- "$text" out err; }; then
        echo "lanai-ld $*: exit status $got, wanted $status and '$text', got:"
        cat out err
        failed=1
    fi
}

expect 0 "" -o a.bin --map a.map "$start" "$main"
expect 0 "" -o b.bin --map b.map "$start" "$main"
cmp a.bin b.bin && cmp a.map b.map || failed=1
grep -Eq '^00000000 +[0-9]+ T _start$' a.map || { echo "no _start at 0 in the map"; failed=1; }
! grep -Ev '^[0-9a-f]{8} [ 0-9]{5}[0-9] [TRDB] [^ ]+$' a.map || { echo "malformed line in the map"; failed=1; }
cut -c 1-8 a.map | LC_ALL=C sort -c || { echo "the map is not sorted"; failed=1; }

# Another object gives other bytes: the comparison above can fail.
expect 0 "" -o c.bin "$start" "$other"
! cmp -s a.bin c.bin || { echo "another object makes no difference"; failed=1; }
expect 1 "section .bss.stack: its end" -o d.bin --limit 0x1000 "$start" "$main"
[ ! -e d.bin ] || { echo "a failed link left an image"; failed=1; }
expect 1 "start.S.o: section .text.start: undefined symbol main" -o d.bin "$start"
expect 1 "symbol _start is defined already in" -o d.bin "$start" "$start" "$main"
expect 1 "/bin/sh: not a LANai object" -o d.bin "$start" /bin/sh
expect 1 "no.o: cannot be opened: No such file or directory" -o d.bin no.o
expect 1 "nodir/d.bin: cannot be written" -o nodir/d.bin "$start" "$main"
head -c 300 "$main" >cut.o
expect 1 "cut.o: truncated file" -o d.bin "$start" cut.o
expect 2 "-o is required" "$start"
expect 2 "--limit" -o d.bin --limit 0x1002 "$start"
expect 2 "--sram" -o d.bin --sram 16 "$start"
expect 0 "--map" --help
exit $failed
