#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The compiler's faults are avoided by our flags and accessors or caught by lanai-ld; and, so that this test could
# notice, they do appear without that. A note tells when the compiler at hand no longer has one.
build=${BUILD:-build}
images=$build/firmware/toolchain
objects=$build/lanai/toolchain
status=0

want='7 and 3: 00000004
3 and 7: 00000004'
run() { timeout 20 "$build/bin/lanai-run" "$images/$1.bin"; }

got=$(run fault-comparison)
if [ "$got" != "$want" ]; then
    printf 'comparison: with -disable-peephole the distances are still wrong:\n%s\n' "$got"
    status=1
fi
if [ "$(run fault-comparison-unguarded)" = "$want" ]; then
    echo "comparison: note: this compiler is right without -disable-peephole too"
fi

error=$("$build/bin/lanai-ld" -o /dev/null "$build"/lanai/runtime-O2/firmware/*.o \
    "$objects/fault-label-address/tests/toolchain/faults/label_address.c.o" 2>&1)
case $error in
*"section .text.jumps+"*"which is no SLI or SLS instruction"*) ;;
"") echo "label address: note: this compiler's object links" ;;
*) echo "label address: unexpected error: $error"; status=1 ;;
esac

[ "$(run fault-wide-variadic)" != "wide: 0123456789abcdef" ] ||
    echo "wide variadic: note: this compiler passes 64-bit variadic arguments well"

# The special registers read, in order: fffffd28 shows as -728, fffffd30 as -720.
reads() {
    llvm-objdump -d "$objects/$1/tests/toolchain/faults/read_order.c.o" |
        sed -n 's/.*ld[[:space:]]*\(-7[0-9]*\)\[%r0\].*/\1/p' | tr '\n' ' '
}
if ! command -v llvm-objdump >/dev/null; then
    echo "read order: llvm-objdump is needed to look at the code, and is not here"
    [ $status -ne 0 ] || status=77
else
    got=$(reads fault-read-order)
    if [ "$got" != "-728 -720 " ]; then
        echo "read order: load32() does not keep it: $got"
        status=1
    fi
    if [ "$(reads fault-read-order-unguarded)" != "-720 -728 " ]; then
        echo "read order: note: this compiler keeps plain volatile loads in order: $(reads fault-read-order-unguarded)"
    fi
fi
exit $status
