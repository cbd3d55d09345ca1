// SPDX-License-Identifier: BSD-3-Clause
// A compiler fault that only a rule avoids: the caller packs variadic arguments by words, but va_arg of a
// 64-bit type looks for it at a multiple of 8.
#include "tests/toolchain/print.h"

#include <stdarg.h>

static NOINLINE uint64_t second(uint32_t count, ...) {
    va_list list;
    va_start(list, count);
    uint64_t v = va_arg(list, uint64_t);
    va_end(list);
    return v;
}

int main(void) {
    show64("wide:", second(hidden(1), (uint64_t)0x0123456789abcdef));
    return finish(0);
}
