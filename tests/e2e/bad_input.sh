#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bad input of any kind: one clear line, exit 1 (2 for the command line), and nobody else suffers.
. "$(dirname "$0")/fabric.sh"

# What a fabric is made of.
fabric 1 --card M3F-PCI64B-2 --on n0 true
one_line '^myri-fabric: .*/cards/M3F-PCI64B-2.json: cannot be read; cards in that folder: M3F-PCIXD-2, M3F-PCIXF-2, M3F2-PCIXE-2 '
fabric 1 --card ../hosts/g5 --on n0 true
one_line 'cannot be read'
fabric 1 --host-profile vax --on n0 true
one_line '^myri-fabric: .*/hosts/vax.json: cannot be read; hosts in that folder: g5, '
fabric 1 --on n7 true
one_line '^myri-fabric: --on n7: no such host; n0 to n1 and all are possible$'

# Firmware that is none.
head -c 100000 /dev/urandom >"$out/noise"
head -c 3000000 /dev/zero >"$out/large"
head -c 17000000 /dev/zero >"$out/huge"
: >"$out/empty"
for firmware in /bin/ls "$out/noise" "$out/large" "$out/huge" "$out/empty" "$out" "$out/none"; do
    fabric 1 --firmware "$firmware" --on n0 true
    one_line "^myri-fabric: .*firmware"
done
head -c 10000 "$build/firmware/lanaix.bin" >"$out/cut"
fabric 1 --firmware "$out/cut" --on n0 true
one_line '^myri-fabric: .*firmware'

# Data files that are not what they must be.
cp -r "$build/share/myri" "$out/data"
export MYRI_DATA="$out/data"
card=$out/data/cards/M3F-PCIXD-2.json
good=$build/share/myri/cards/M3F-PCIXD-2.json
head -c 300 "$good" >"$card"
fabric 1 --on n0 true
one_line "^myri-fabric: $card: not JSON: "
echo '[1, 2]' >"$card"
fabric 1 --on n0 true
one_line "^myri-fabric: $card: must be a JSON object"
sed 's/"sram_kib"/"sram_kb"/' "$good" >"$card"
fabric 1 --on n0 true
one_line "^myri-fabric: $card: field \"sram_kib\": missing\$"
sed '/"sram_kib"/s/"value": *[0-9]*/"value": -5/' "$good" >"$card"
fabric 1 --on n0 true
one_line "^myri-fabric: $card: field \"sram_kib\": -5: must be a whole number from [0-9]+ to [0-9]+\$"
export MYRI_DATA="$out/nowhere"
fabric 1 --on n0 true
one_line '^myri-fabric: .*/nowhere/cards/M3F-PCIXD-2.json: cannot be read; cards in that folder: none'
unset MYRI_DATA

# The command line.
for arguments in '--drop 2' '--drop x' '--drop -0.1' '--hosts 0' '--hosts 33' '--seed 0' '--idle-skipping maybe'; do
    # shellcheck disable=SC2086 # two words
    fabric 2 $arguments --on n0 true
    complains "${arguments%% *}"
    [ ! -s "$out/stdout" ] || fail "prints to stdout"
done
for tool in mx_info mx_pingpong mx_stream mx_dmabench mx_counters; do
    runs 2 "$bin/$tool" --no-such-option
    one_line "^$tool: .*--no-such-option"
done

# A wrong client, and beside it two that go on. beside STATUS LINE COMMAND: what the client says is one line.
beside() {
    fabric 0 --on n0 mx_pingpong --on n1 "mx_info >/dev/null; $3; echo \"wrong client: exit \$?\"" \
        --on n1 'mx_pingpong -d n0 -E 5000 -M 5 -N 5 -V -e 4'
    says "^wrong client: exit $1\$"
    says '^ +3125 +[0-9]+'
    complains "$2"
    [ "$(grep -c '^mx_' "$out/stderr")" -eq 1 ] || fail "more than one line of the client"
}
beside 1 '^mx_info: .*MYRI_HOST=n9.* n0 n1$' 'MYRI_HOST=n9 mx_info'
beside 1 '^mx_info: .*MYRI_HOST is not set.* n0 n1$' 'MYRI_HOST= mx_info'
beside 1 '^mx_pingpong: cannot find the host n9 ' 'mx_pingpong -d n9'
beside 1 '^mx_pingpong: cannot open endpoint 4 of any board: .*in use' 'mx_pingpong -e 4'
beside 2 "^mx_pingpong: .*'32' is not a number from 0 to 31" 'mx_pingpong -e 32'
beside 1 '^mx_pingpong: .*board 1' 'mx_pingpong -b 1'

# More than one thread.
fabric 1 --on n0 "$programs/second_thread"
complains 'a second thread uses the library in virtual time: run the fabric with --free'
fabric 0 --free --on n0 "$programs/second_thread"

# A driver of another version.
"$programs/other_version" "$out/other" &
other=$!
tries=0
until [ -S "$out/other" ] || [ $((tries += 1)) -gt 500 ]; do sleep 0.01; done
runs 1 env MYRI_FABRIC="$out/other" MYRI_HOST=n0 "$bin/mx_info"
one_line '^mx_info: cannot use Myrinet: .*version'
kill $other
wait $other 2>/dev/null

# No fabric where MYRI_FABRIC says; something else there.
runs 1 env MYRI_FABRIC="$out/none" MYRI_HOST=n0 "$bin/mx_info"
one_line "^mx_info: .*$out/none"
runs 1 env MYRI_FABRIC=/dev/null MYRI_HOST=n0 "$bin/mx_info"
one_line '^mx_info: .*/dev/null'
finish
