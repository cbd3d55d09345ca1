// SPDX-License-Identifier: BSD-3-Clause
// A compiler fault that lanai-ld catches: the address of a label as a constant gets the wrong relocations
// (and one byte too much). Label addresses in tables are right.
#include "tests/toolchain/print.h"

static NOINLINE uint32_t jumps(uint32_t x) {
    static const void* const labels[] = {&&stop, &&triple, &&step};
    uint32_t next = 1;
    goto* labels[next]; // known: becomes a constant
triple:
    x *= 3;
    next = 2 - (x & 1);
    goto* labels[next];
step:
    x += 1;
    next = x & 2;
    goto* labels[next];
stop:
    return x;
}

int main(void) {
    show("jumps", jumps(hidden(1)) + jumps(hidden(2)));
    return finish(0);
}
