#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tools over two emulated cards: library, firmware, links and back.
bin=${BUILD:-build}/bin
failures=0
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
[ -x "$bin/myri-fabric" ] || { echo "no $bin/myri-fabric"; exit 77; }

fail() {
    echo "FAILED: $*"
    cat "$out/stdout" "$out/stderr"
    failures=$((failures + 1))
}
# fabric STATUS ARGUMENTS...: runs commands on hosts; stdout and stderr are kept for the checks that follow. The last
# command decides when the run ends and its status.
fabric() {
    wanted=$1
    shift
    what="myri-fabric run $*"
    timeout 100 "$bin/myri-fabric" run --max-time 90 "$@" >"$out/stdout" 2>"$out/stderr" </dev/null
    status=$?
    [ $status -eq "$wanted" ] || fail "$what: exit $status, wanted $wanted"
}
says() { grep -qE -- "$1" "$out/stdout" || fail "$what: stdout lacks '$1'"; }
complains() { grep -qE -- "$1" "$out/stderr" || fail "$what: stderr lacks '$1'"; }
# near VALUE WANTED PERCENT WHAT
near() {
    awk -v v="$1" -v w="$2" -v p="$3" 'BEGIN { exit !(v != "" && v >= w * (1 - p / 100) && v <= w * (1 + p / 100)) }' ||
        fail "$what: $4 is $1, wanted $2 within $3 %"
}

# The board of the D card.
fabric 0 --on n0 mx_info
says '^1 Myrinet board installed\.$'
says '^={67}$'
says '^Instance #0:  225\.0 MHz LANai, 133\.3 MHz PCI bus, 2 MB SRAM$'
says '^	Product code:	M3F-PCIXD-2$'
says '^   0\) 00:60:dd:.* n0:0 +D 0,0$'
says '^   1\) 00:60:dd:.* n1:0 +1,0$'

# Default text of mx_pingpong, byte for byte but for the figures.
fabric 0 --on n0 mx_pingpong --on n1 'mx_pingpong -d n0:0 -E 129 -N 20 -V'
says '^Running 20 iterations\.$'
says '^   Length   Latency\(us\)    Bandwidth\(MB/s\)$'
[ "$(grep -cE '^ {6}[ 0-9]{3}   [ 0-9]{5}\.[0-9]{3}       [ 0-9]{4}\.[0-9]{3}$' "$out/stdout")" -eq 129 ] ||
    fail "$what: not 129 rows"
[ ! -s "$out/stderr" ] || [ "$(grep -cv '^myri-fabric: seed' "$out/stderr")" -eq 0 ] || fail "$what: stderr not empty"
cp "$out/stdout" "$out/first"
fabric 0 --on n0 mx_pingpong --on n1 'mx_pingpong -d n0:0 -E 129 -N 20 -V'
cmp -s "$out/first" "$out/stdout" || fail "$what: two runs in virtual time differ"

# Every kind of message and waiting, verified; both ends may start at once, and the sender first.
fabric 0 --on n0 'mx_pingpong -w' --on n1 'mx_pingpong -d n0 -S 1000 -E 200000 -M 3.3 -N 5 -V -w'
fabric 0 --on n0 'mx_pingpong' --on n1 'mx_pingpong -d n0 -E 100000 -M 7 -N 5 -V -R'
printf '5 70000\n33000 # rendezvous\n' >"$out/lengths"
fabric 0 --on n1 "mx_pingpong -d n0 -L $out/lengths -N 5 -V --csv" --on n0 'mx_pingpong'
says '^length,iterations,latency_us,rate_mb_s,'
says '^70000,5,'
fabric 0 --on n0 'mx_pingpong -e 3 -f 7' --on n1 'mx_pingpong -e 2 -r 3 -f 0x7 -d n0 -E 3 --json'
says '"complete": true'

# Rates are in 10^6 bytes per second: a 250 MB/s link carries close to 250, never more.
fabric 0 --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -S 1048576 -E 1048577 -N 10'
near "$(awk '$1 == 1048576 { print $3 }' "$out/stdout")" 246 3 "rate of 1 MiB messages"
fabric 0 --on n0 mx_stream --on n1 'mx_stream -d n0 -l 1048576 -N 30'
says '^Total:  1048576 2[0-9]{2}\.[0-9]{3} [0-9]{3}\.[0-9]{3}$'
near "$(awk '$1 == "Total:" { print $3 }' "$out/stdout")" 246 3 "streamed rate"
[ "$(grep -cE '^(Send|Recv|Total):' "$out/stdout")" -eq 1 ] || fail "$what: more than the Total line"
for variant in '' -w; do
    fabric 0 --on n0 "mx_stream $variant" --on n1 "mx_stream -d n0 -l 100000 -N 40 -x -V $variant"
    says '^Send:    100000 '
    says '^Recv:    100000 '
    says '^Total:   100000 [34][0-9]{2}\.' # both ways: more than one link carries
    fabric 0 --on n0 "mx_stream $variant" --on n1 "mx_stream -d n0 -l 0 -N 40 -V $variant"
    fabric 0 --on n0 "mx_stream $variant" --on n1 "mx_stream -d n0 -N 200 -V $variant"
done

# Verification fails at either end when one byte is damaged, and only with -V.
fabric 1 --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -S 64 -E 65 -V --damage-one-byte'
complains 'mx_pingpong: verification failed: message 1 of 64 bytes differs at offset 32: expected 0x.., got 0x..'
fabric 1 --on n0 'mx_pingpong --damage-one-byte' --on n1 'mx_pingpong -d n0 -S 40000 -E 40001 -V'
complains 'mx_pingpong: verification failed: message 0 of 40000 bytes differs at offset 20000'
fabric 1 --on n0 'mx_stream --damage-one-byte' --on n1 'mx_stream -d n0 -V'
complains 'mx_stream: verification failed: message 0 of 8192 bytes differs at offset 4096'
fabric 0 --on n0 'mx_pingpong --damage-one-byte' --on n1 'mx_pingpong -d n0 -S 64 -E 65'

# Data that a link or the bus damages is repaired before it is seen.
fabric 0 --corrupt 0.02 --on n0 mx_stream --on n1 'mx_stream -d n0 -N 200 -V'
fabric 0 --drop 0.02 --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -E 100000 -M 5 -N 20 -V'

# What goes wrong is said in words, with exit 1.
fabric 1 --on n0 mx_pingpong --on n1 'mx_stream -d n0'
complains 'the other end runs mx_pingpong, not mx_stream'
fabric 1 --on n1 'mx_pingpong -d n0'
complains 'cannot connect to endpoint 1 of n0: nobody has opened it within 10 s'
fabric 1 --on n1 'mx_pingpong -d n7'
complains 'cannot find the host n7'
fabric 1 --on n0 'mx_counters -b 1'
complains 'board 1'
fabric 1 --on n0 mx_pingpong --on n1 'mx_pingpong -d n0 -f 6'
complains 'same filter'

# Two senders at once, one receiver that stays.
fabric 0 --free --on n0 'mx_pingpong -s' \
    --on n1 'mx_pingpong -d n0 -E 200 -M 2 -N 50 -V & mx_pingpong -e 2 -d n0 -E 200 -M 2 -N 50 -V && wait $!'
[ "$(grep -c '^      128 ' "$out/stdout")" -eq 2 ] || fail "$what: not two complete results"

# SIGINT prints what was measured so far; a receiver killed is noticed.
fabric 0 --free --on n0 '! mx_pingpong' --on n1 'timeout -s INT 2 mx_pingpong -d n0 -E 5 -N 4000000000 -v || [ $? -eq 124 ]'
says '^        0 +[0-9]+\.[0-9]{3}'
complains 'mx_pingpong: interrupted'
fabric 0 --free --on n0 'mx_stream' --on n1 'timeout -s INT 2 mx_stream -d n0 -N 4000000000 || [ $? -eq 124 ]'
says '^Total:     8192 '
fabric 1 --free --on n0 'timeout -s KILL 2 mx_pingpong; true' --on n1 'mx_pingpong -d n0 -E 1 -N 4000000000'
complains 'mx_pingpong: cannot exchange messages'

# DMA rates published for this host and card, and counters.
fabric 0 --on n0 'mx_dmabench -S 4096 -E 4096'
near "$(awk '$1 == 4096 { print $2 }' "$out/stdout")" 824 3 "DMA read rate"
near "$(awk '$1 == 4096 { print $3 }' "$out/stdout")" 1032 3 "DMA write rate"
fabric 0 --on n0 'mx_dmabench --json -N 10'
[ "$(grep -c '"both_mb_s"' "$out/stdout")" -eq 11 ] || fail "$what: not 11 lengths from 64 to 65536"
fabric 0 --on n1 'mx_pingpong -d n0 -E 1 -N 50 -W 0' --on n0 'mx_pingpong && mx_counters -q -c && echo && mx_counters'
says '^    Packets received: +[0-9]+ \(0x[0-9a-f]+\)$'
[ "$(sed '1,/^$/d' "$out/stdout" | grep -cE '^    Packets received: +0 \(0x0\)$')" -eq 1 ] || fail "$what: not cleared"

# The peer table: shown, installed again from what was shown, changed; what is wrong changes nothing.
fabric 0 --on n0 'mx_peers --show'
says '^\[00:60:dd:([0-9a-f]{2}:){2}[0-9a-f]{2}\]$'
says '^00:60:dd:.* n0:0 80$'
says '^00:60:dd:.* n1:0 81$'
cp "$out/stdout" "$out/table"
fabric 0 --on n0 "mx_peers $out/table && mx_peers --show"
says '^board 0, 00:60:dd:.*: 2 peers$'
[ "$(sed 1d "$out/stdout")" = "$(cat "$out/table")" ] || fail "$what: another table"
(sed 's/ n1:0 / other:3 /' "$out/table" && echo '00:60:dd:ff:ff:ff far:0 818283') >"$out/three"
fabric 0 --on n0 "mx_peers $out/three && mx_info && mx_peers --show -b 0 --json && mx_pingpong" \
    --on n1 'mx_pingpong -d n0 -E 200 -N 5 -V'
says '^   1\) 00:60:dd:.* other:3 +1,0$'
says '"route": "818283"'
says '^	Mapped hosts:	3$'
sed 's/ n0:0 / red:0 /' "$out/table" >"$out/red"
fabric 0 --on n0 "mx_peers -v $out/red"
complains "board 0 is called red:0 there, but this machine's name makes it n0:0"
grep -v ' n0:0 ' "$out/table" >"$out/without"
fabric 1 --on n0 "mx_peers $out/without"
complains 'without: of its lines 1 are for board 0, but none of them is the board itself'
sed 's/81$/01/' "$out/table" >"$out/bad"
fabric 0 --on n0 "! mx_peers $out/bad && mx_peers --show"
complains 'bad:3: route byte 0x01 is not from 0x80 to 0xff'
cmp -s "$out/stdout" "$out/table" || fail "$what: the table has changed"
fabric 1 --on n0 "mx_peers $out/nowhere"
complains 'nowhere: No such file'

[ $failures -eq 0 ] && echo "all as expected"
[ $failures -eq 0 ]
