#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every program of tests/toolchain/programs prints the same natively and as LANai code, at each optimisation level.
# A last comparison against a program that is not the same proves that a difference would be noticed.
build=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
count=0

same() { # NATIVE IMAGE
    timeout 20 "$build/tests/toolchain/$1" >"$work/native" || { echo "$1: native run failed"; return 1; }
    [ -s "$work/native" ] || { echo "$1: prints nothing"; return 1; }
    timeout 60 "$build/bin/lanai-run" "$build/firmware/toolchain/$2.bin" >"$work/lanai" || {
        echo "$2: exit status $? of lanai-run"
        return 1
    }
    cmp -s "$work/native" "$work/lanai" || {
        echo "$2: differs from the native run:"
        diff "$work/native" "$work/lanai" | head -n 6
        return 1
    }
}

for program in "$build"/tests/toolchain/*; do
    [ -x "$program" ] || continue
    program=$(basename "$program")
    for level in O1 O2 Os; do
        same "$program" "$program-$level" || status=1
        count=$((count + 1))
    done
done
[ $count -ge 24 ] || { echo "only $count pairs found, 24 are built"; status=1; }
if same checksums switches-O2 >/dev/null; then
    echo "two different programs were taken for the same"
    status=1
fi
echo "$count pairs compared"
exit $status
