#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Processes whose memory the card cannot reach: large messages go through a bounce area, at either end or at both.
. "$(dirname "$0")/fabric.sh"

# both ARGUMENTS...: of the two commands, each must have come to its good end.
both() {
    fabric 0 "$@"
    says '^sender: all as expected$'
    says '^receiver: all as expected$'
}

# Around each change of path, and around a share of the area: 256 KiB.
echo "0 1 127 129 4097 32768 32769 65535 65537 98305 131071 262143 262144 262145 524287 524289 1000003 1048575 1048576
9000001" >"$out/lengths"
for sides in "1 0" "0 1" "1 1"; do
    first="MYRI_BOUNCE=${sides% *}" second="MYRI_BOUNCE=${sides#* }"
    for time in '' --free; do
        # shellcheck disable=SC2086 # no option is no word
        fabric 0 $time --on n0 "$first mx_pingpong" --on n1 "$second mx_pingpong -d n0 -L $out/lengths -N 2 -W 1 -V"
        [ "$(grep -cE '^ +[0-9]+ +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{3}$' "$out/stdout")" -eq "$(wc -w <"$out/lengths")" ] ||
            fail "not a row for each length"
        for program in truncation crossing; do
            # shellcheck disable=SC2086
            both $time --on n0 "$first $programs/$program sender n1" --on n1 "$second $programs/$program receiver n0"
        done
    done
    both --drop 0.01 --duplicate 0.01 --reorder 0.01 --corrupt 0.01 \
        --on n0 "$first $programs/crossing sender n1" --on n1 "$second $programs/crossing receiver n0"
    # The card is started anew in the middle: its windows and what it had pulled so far are still there.
    both --at 60ms:n1:parity:0 \
        --on n0 "$first $programs/crossing sender n1" --on n1 "$second $programs/crossing receiver n0"
    complains 'n1: the card has been restarted'
    # The twin.
    for length in 32769 1048576; do
        fabric 1 --on n0 "$first mx_pingpong" \
            --on n1 "$second mx_pingpong -d n0 -S $length -E $((length + 1)) -N 2 -V --damage-one-byte"
        complains "^mx_pingpong: verification failed: message [0-9]+ of $length bytes differs at offset $((length / 2)): expected 0x"
    done
done
# Two endpoints of one card, and one endpoint with itself.
both --on n0 "MYRI_BOUNCE=1 $programs/crossing sender n0" --on n0 "MYRI_BOUNCE=1 $programs/crossing receiver n0"
fabric 0 --on n0 "MYRI_BOUNCE=1 $programs/crossing self"
says '^self: all as expected$'
finish
