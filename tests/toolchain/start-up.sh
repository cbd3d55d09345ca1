#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Start-up code: runs an image in SRAM that holds ones, and main() returns to a tight loop.
build=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

cp "$build/firmware/toolchain/start-up.bin" "$work/image" || exit 1
head -c 20000 /dev/zero | tr '\000' '\377' >>"$work/image"

timeout 20 "$build/bin/lanai-run" --max-cycles 60000 "$work/image" >"$work/got"
[ $? -eq 124 ] || { echo "the program did not run until the cycle limit"; exit 1; }
cat >"$work/want" <<'END'
bss words not zero: 00000000
zeroes inside bss: 00000001
behind bss: ffffffff
data: 600dda7a
fixed: 000010f1
stack: 00000001
END
diff "$work/want" "$work/got" || exit 1

# After main() only two instructions of _start run: the loop's branch and its slot.
timeout 20 "$build/bin/lanai-run" --max-cycles 60000 --trace "$work/image" 2>"$work/trace" >/dev/null
# A line of the trace begins with cycle, pc and word.
places=$(grep -E '^ *[0-9]+ [0-9a-f]{8} [0-9a-f]{8}' "$work/trace" | tail -n 100 | awk '{ print $2 }' | sort -u | wc -l)
[ "$places" -eq 2 ] || { echo "the last 100 instructions are at $places places, not 2:"; tail -n 6 "$work/trace"; exit 1; }
