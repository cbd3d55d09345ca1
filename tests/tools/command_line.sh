#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tools without a board: usage errors, help, and what they say when there is no Myrinet.
bin=${BUILD:-build}/bin
failures=0
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# expect STATUS TEXT COMMAND...: exit status, one line on stderr that contains TEXT, nothing on stdout.
expect() {
    wanted=$1 text=$2
    shift 2
    env -u MYRI_FABRIC -u MYRI_HOST "$@" >"$out/stdout" 2>"$out/stderr" </dev/null
    status=$?
    if [ $status -ne "$wanted" ] || [ -s "$out/stdout" ] || [ "$(wc -l <"$out/stderr")" -ne 1 ] ||
        ! grep -qF -- "$text" "$out/stderr"; then
        echo "FAILED: $*: exit $status (wanted $wanted), wanted '$text', got:"
        cat "$out/stdout" "$out/stderr"
        failures=$((failures + 1))
    fi
}

for tool in mx_info mx_pingpong mx_stream mx_dmabench mx_counters; do
    expect 2 "not expected: --nonsense" "$bin/$tool" --nonsense
    expect 2 "not expected: word" "$bin/$tool" word
    expect 2 "'4' is not a number from 0 to 3" "$bin/$tool" -b 4
    expect 2 "'x' is not a number from 0 to 3" "$bin/$tool" -b x
done
expect 2 "'4294967297' is not a number from 0 to 4294967296" "$bin/mx_pingpong" -E 4294967297
expect 2 "'0' is not a number from 1 to 4294967295" "$bin/mx_pingpong" -N 0
expect 2 "Value -1 not in range" "$bin/mx_pingpong" -M -1
expect 2 "'4294967296' is not a number from 0 to 4294967295" "$bin/mx_stream" -l 4294967296
expect 2 "excludes" "$bin/mx_stream" --csv --json
expect 2 "'65537' is not a number from 1 to 65536" "$bin/mx_dmabench" -E 65537
expect 1 "No such file" "$bin/mx_pingpong" -d n0 -L "$out/missing"

# help lists every option, exits 0, and prints to stdout only
help() {
    tool=$1
    shift
    "$bin/$tool" --help >"$out/stdout" 2>"$out/stderr" || { echo "FAILED: $tool --help"; failures=$((failures + 1)); }
    [ -s "$out/stderr" ] && { echo "FAILED: $tool --help writes to stderr"; failures=$((failures + 1)); }
    for option in "$@" -h --json -v --version; do
        grep -qE -- "(^|[ ,])$option([ ,]|\$)" "$out/stdout" ||
            { echo "FAILED: $tool --help does not list $option"; failures=$((failures + 1)); }
    done
}
help mx_info -b -q -e
help mx_pingpong -n -b -e -s -d -r -f -S -E -I -M -L -N -W -V -w -R --csv --damage-one-byte
help mx_stream -n -b -e -r -d -f -l -N -V -w -x --csv --damage-one-byte
help mx_dmabench -b -S -E -M -N
help mx_counters -b -a -c -q
help mx_peers -b --show FILE
expect 2 "FILE or --show is required" "$bin/mx_peers"
expect 2 "FILE excludes --show" "$bin/mx_peers" --show "$out/table"

# Without a board: one line that says what was looked for and what to do.
if [ ! -e /dev/myri0 ]; then
    for tool in mx_info mx_pingpong mx_stream mx_dmabench mx_counters "mx_peers --show"; do
        expect 1 "looked for /dev/myri0 to /dev/myri3" "$bin"/$tool
        expect 1 "modprobe myri" "$bin"/$tool
        expect 1 "MYRI_HOST=n0 names a host of an emulated fabric, but MYRI_FABRIC" env MYRI_HOST=n0 "$bin"/$tool
    done
    expect 1 "MYRI_FABRIC=$out/none" env MYRI_FABRIC="$out/none" MYRI_HOST=n0 "$bin/mx_info"
fi
[ $failures -eq 0 ] && echo "all as expected"
[ $failures -eq 0 ]
