#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lanai-run from outside: output, exit status, errors, trace, counts, profile.
run=${BUILD:-build}/bin/lanai-run
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
# expect NAME STATUS STDOUT ARGUMENTS...; stderr is left in $dir/err
expect() {
    name=$1 status=$2 output=$3
    shift 3
    timeout 60 "$run" "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    [ "$got" = "$status" ] || fail "$name: exit status $got instead of $status: $(head -n 5 "$dir/err")"
    [ "$(cat "$dir/out")" = "$output" ] || fail "$name: printed '$(cat "$dir/out")' instead of '$output'"
}
says() { grep -q -- "$1" "$dir/err" || fail "$name: stderr lacks '$1': $(head -n 5 "$dir/err")"; }
# image FILE WORD...
image() {
    file=$1
    shift
    : >"$file"
    for word in "$@"; do
        rest=${word#??} rest2=${word#????}
        for byte in "${word%??????}" "${rest%????}" "${rest2%??}" "${word#??????}"; do
            printf "\\$(printf %03o "0x$byte")" >>"$file"
        done
    done
}

# mov 'H',r6; st.b r6,[-16]; mov 'i',r6; st.b r6,[-16]; mov 7,r6; st r6,[-8]
image "$dir/hi" 03000048 f3036bf0 03000069 f3036bf0 03000007 9302fff8 00000001
expect "prints and exits" 7 Hi "$dir/hi"
# Six instructions, two of them byte stores with an extra cycle.
expect "counts" 7 'Hi
{"cycles":8,"instructions":6}' "$dir/hi" --json
expect "trace" 7 Hi "$dir/hi" --trace
says '^ *0 00000000 03000048  add %r0, 0x48, %r6  *r6=00000048$'
says '^ *7 00000014 9302fff8  st %r6, -8\[%r0\]$'
[ "$(wc -l <"$dir/err")" = 6 ] || fail "trace: not one line for each instruction"

cat >"$dir/map" <<END
00000000     16 T first
00000010     12 T second
00001000      4 D data
a line of another kind
END
expect "profile" 7 Hi "$dir/hi" --map "$dir/map" --profile
says '^ *6  *75.00  *4  *1  first$'
says '^ *2  *25.00  *2  *1  second$'

# ld [0x100],r6 (stall); add r6,1,r6; mov 0,r7; st r7,[-8]
image "$dir/load" f3000100 03180001 03800000 9382fff8
expect "stall" 0 '{"cycles":5,"instructions":4}' "$dir/load" --json
expect "shared port" 0 '{"cycles":6,"instructions":4}' "$dir/load" --json --data-access-extra 1

# mov 100,r6; st r6,[CPUC]; two nops; ld [CPUC],r6; st r6,[-8]: three cycles after the store
image "$dir/cpuc" 03000064 9302fd28 00000001 00000001 8302fd28 9302fff8
expect "CPUC can be set and counts" 103 '' "$dir/cpuc"
# nop; nop; ld [CPUC],r6; st r6,[-8]
image "$dir/cpuc" 00000001 00000001 8302fd28 9302fff8
expect "CPUC counts from the start" 2 '' "$dir/cpuc"

image "$dir/loop" e0000000 00000001
expect "limit" 124 '' "$dir/loop" --max-cycles 1000
says 'after 1000 cycles'
image "$dir/undefined" 00000001 f003c000
expect "undefined instruction" 1 '' "$dir/undefined"
says 'pc 0x00000004.*undefined instruction 0xf003c000'
expect "trap while tracing" 1 '' "$dir/undefined" --trace
says 'undefined instruction'
image "$dir/outside" 03000000 03010100 83980000
expect "outside SRAM" 1 '' "$dir/outside" --sram 65536
says 'load of 4 bytes at 0x01000000'
image "$dir/register" 00000001 9302fe00
expect "unknown register" 1 '' "$dir/register"
says 'pc 0x00000004.*0xfffffe00'
image "$dir/status" 03000100 9302fff8
expect "exit status too large" 1 '' "$dir/status"
says 'exit status 256'

expect "no image" 2 ''
expect "missing image" 2 '' "$dir/none"
says "$dir/none"
: >"$dir/empty"
expect "empty image" 2 '' "$dir/empty"
expect "image beyond SRAM" 2 '' "$dir/hi" --sram 8
says '28 bytes: must be 1 to 8'
expect "odd SRAM" 2 '' "$dir/hi" --sram 4098
expect "unknown option" 2 '' "$dir/hi" --frobnicate
expect "number expected" 2 '' "$dir/hi" --max-cycles many
expect "profile without a map" 2 '' "$dir/hi" --profile
expect "missing map" 2 '' "$dir/hi" --profile --map "$dir/none"

# Compiled C: the first line is the published check value of CRC-32C.
image=${BUILD:-build}/firmware/cpu-throughput
timeout 100 "$run" "$image.bin" --bench >"$dir/out" 2>"$dir/err" || fail "throughput: $(head -n 5 "$dir/err")"
[ "$(head -n 1 "$dir/out")" = e3069283 ] || fail "throughput: printed $(cat "$dir/out")"
cat "$dir/err"
timeout 200 "$run" "$image.bin" --profile --map "$image.map" >"$dir/out2" 2>"$dir/err" || fail "throughput: profile"
cmp -s "$dir/out" "$dir/out2" || fail "throughput: profiling changes the output"
cat "$dir/err"

[ "$failures" = 0 ]
