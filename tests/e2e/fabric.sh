# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the scripts of this folder: run commands on the hosts of an emulated fabric, check what they print and
# that they leave nothing behind. A script ends with `finish`.
set -u
build=$(cd "${BUILD:-build}" && pwd) || exit 1
bin=${BIN:-$build/bin} # of the fabric and the tools
programs=$build/tests/e2e # the C programs of this folder
out=$(mktemp -d) || exit 1
export TMPDIR="$out/tmp" # where fabrics put their sockets
mkdir "$TMPDIR"
unset MYRI_FABRIC MYRI_HOST MYRI_DATA XDG_RUNTIME_DIR
failures=0
what=

remove_scratch() { rm -rf "$out"; }
trap remove_scratch EXIT
trap 'exit 1' INT TERM HUP

# fail TEXT: counts it and shows the end of what the last command printed.
fail() {
    echo "FAILED: $what: $*"
    tail -n 15 "$out/stdout" "$out/stderr" 2>/dev/null
    failures=$((failures + 1))
}

# runs STATUS COMMAND...: stdout and stderr are kept for the checks that follow.
runs() {
    wanted=$1
    shift
    what=$*
    status=0
    timeout -k 5 60 "$@" >"$out/stdout" 2>"$out/stderr" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit $status, wanted $wanted"
}

# fabric STATUS ARGUMENTS...: myri-fabric run.
fabric() {
    wanted_of_fabric=$1
    shift
    runs "$wanted_of_fabric" "$bin/myri-fabric" run --max-time 50 "$@"
}

says() { grep -qE -- "$1" "$out/stdout" || fail "stdout lacks '$1'"; }
complains() { grep -qE -- "$1" "$out/stderr" || fail "stderr lacks '$1'"; }

# one_line TEXT: stderr is one line that matches, beside the one that tells the seed.
one_line() {
    complains "$1"
    [ "$(grep -cv '^myri-fabric: seed ' "$out/stderr")" -eq 1 ] || fail "not one line on stderr"
}

# the_same_as PLACE: both outputs are, byte for byte, what `keep PLACE` has kept.
keep() { mkdir -p "$out/$1" && cp "$out/stdout" "$out/stderr" "$out/$1"; }
the_same_as() {
    for stream in stdout stderr; do
        cmp -s "$out/$stream" "$out/$1/$stream" || {
            fail "$stream differs from that of $1:"
            diff "$out/$1/$stream" "$out/$stream" | head -n 10
        }
    done
}
different_from() {
    cmp -s "$out/stdout" "$out/$1/stdout" && fail "prints the same as $1"
}

# start_fabric ARGUMENTS...: a free-running fabric in the background; MYRI_FABRIC and $fabric_pid name it.
start_fabric() {
    runs 0 "$bin/myri-fabric" start --socket "$out/socket" "$@"
    export MYRI_FABRIC="$out/socket"
    says "^export MYRI_FABRIC=$out/socket\$"
    fabric_pid=$(for process in /proc/[0-9]*; do
        cat "$process/cmdline" 2>/dev/null | tr '\0' ' ' | grep -qF -- "--socket $out/socket " && basename "$process"
    done)
    trap 'stop_fabric; remove_scratch' EXIT
}
stop_fabric() {
    trap remove_scratch EXIT
    "$bin/myri-fabric" stop || fail "myri-fabric stop"
    [ ! -e "$out/socket" ] || fail "the socket is still there"
    # (Where nobody collects orphans a zombie remains.)
    [ ! -d "/proc/$fabric_pid" ] || grep -q '^State:.Z' "/proc/$fabric_pid/status" || fail "the fabric, pid $fabric_pid, is still there"
    unset MYRI_FABRIC
}

finish() {
    [ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
    [ "$failures" -eq 0 ] && echo "all as expected"
    [ "$failures" -eq 0 ]
    exit
}
