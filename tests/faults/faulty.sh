# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the scripts of this folder: runs exchange in a fabric with faults and looks at what it prints.
set -u
build=$(cd "${BUILD:-build}" && pwd) || exit 1
out=$(mktemp -d) || exit 1
export TMPDIR="$out"
unset MYRI_FABRIC MYRI_HOST MYRI_DATA XDG_RUNTIME_DIR
trap 'rm -rf "$out"' EXIT
trap 'exit 1' INT TERM HUP
failures=0
seed=0

fail() {
    echo "FAILED: $what: $*"
    grep -v -e ': card: ' -e ': library: ' "$out/text" | tail -n 20
    failures=$((failures + 1))
}

# exchange STATUS FABRIC-OPTIONS WORDS: $messages messages, with the words for the second end; the exit status is its.
# The first end must find nothing wrong.
exchange() {
    seed=$((seed + 1))
    what="${2:-no faults} $3, seed $seed"
    limit=$((60 + messages / 50)) # seconds
    each=$((messages / 2))
    # shellcheck disable=SC2086 # options are words
    timeout -k 5 $((limit + 10)) "$build/bin/myri-fabric" run --max-time $limit --stats --seed $seed $2 \
        --on n0 "$build/tests/faults/exchange first n1 $each $seed ${words:-}" \
        --on n1 "$build/tests/faults/exchange second n0 $each $seed ${words:-} $3" \
        >"$out/text" 2>&1 </dev/null
    status=$?
    [ $status -eq "$1" ] || fail "exit $status, wanted $1"
    says "^first: $each messages each way in [0-9]* us, 0 wrong\$"
}

says() { grep -q -- "$1" "$out/text" || fail "does not say '$1'"; }

# sum NAME: a counter, both ends together.
sum() { sed -n -e "s/^first: $1: //p" -e "s/^second: $1: //p" "$out/text" | awk '{ n += $1 } END { print n + 0 }'; }

# fate FAULT NAME: how many ended so, or were injected.
fate() { sed -n "s/^$1: .*\b\([0-9][0-9]*\) $2\b.*/\1/p" "$out/text" | awk '{ n += $1 } END { print n + 0 }'; }

# each_fault_ends FAULT...: an exchange with each of the faults at 0.01. Only duplicates and packets out of order may be
# taken, nothing damaged.
each_fault_ends() {
    options=
    for fault in "$@"; do options="$options --$fault 0.01"; done
    exchange 0 "$options" ''
    says '^each fault has ended once$'
    ! grep -E '^corrupt.*(delivered|open)' "$out/text" || fail "damaged data was taken"
}

# equal WHAT VALUE VALUE
equal() { [ "$2" -eq "$3" ] || fail "$1: $2 and $3"; }
