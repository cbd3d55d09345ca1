// SPDX-License-Identifier: BSD-3-Clause
// The compiler fault that -disable-peephole avoids: comparing a with b and then using b - a, it branches on
// the negated instead of the swapped condition. Compiled once with and once without the flag.
#include "tests/toolchain/print.h"

static NOINLINE int32_t distance(int32_t a, int32_t b) {
    return a > b ? a - b : b - a;
}

int main(void) {
    show("7 and 3:", (uint32_t)distance((int32_t)hidden(7), (int32_t)hidden(3)));
    show("3 and 7:", (uint32_t)distance((int32_t)hidden(3), (int32_t)hidden(7)));
    return finish(0);
}
