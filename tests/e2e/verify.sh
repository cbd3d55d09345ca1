#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages of 0 to 1 MiB, odd sizes between, arrive byte for byte on each card; a damaged byte is found.
. "$(dirname "$0")/fabric.sh"

# Around each change of path: slot payloads, fragments, medium to large, blocks, frames; then odd sizes in between.
echo "0 1 2 3 7 8 9 39 40 41 127 128 129 255 1021 4095 4096 4097 8191 8193 12289 16383 20001 32767 32768 32769
33333 36865 65535 65537 98305 131071 262147 524287 1000003 1048575 1048576" >"$out/lengths"
for card in M3F-PCIXD-2 M3F2-PCIXE-2 M3F-PCIXF-2; do
    fabric 0 --card $card --on n0 mx_pingpong --on n1 "mx_pingpong -d n0 -L $out/lengths -N 2 -W 1 -V"
    [ "$(grep -cE '^ +[0-9]+ +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{3}$' "$out/stdout")" -eq "$(wc -w <"$out/lengths")" ] ||
        fail "not a row for each length"
    fabric 0 --card $card --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -S 0 -E 1048577 -M 3.3 -N 1 -W 0 -V'
done

# The twin: the same run with one byte damaged where it is checked, at either end, in each class of message.
for length in 1 100 20001 32769 1048576; do
    offset=$((length / 2))
    fabric 1 --on n0 mx_pingpong --on n1 "mx_pingpong -d n0 -S $length -E $((length + 1)) -N 2 -V --damage-one-byte"
    complains "^mx_pingpong: verification failed: message [0-9]+ of $length bytes differs at offset $offset: expected 0x"
    fabric 1 --on n1 "! mx_pingpong --damage-one-byte" --on n0 "mx_pingpong -d n1 -S $length -E $((length + 1)) -N 2 -V"
    complains "^mx_pingpong: verification failed: message [0-9]+ of $length bytes differs at offset $offset: expected 0x"
done
finish
