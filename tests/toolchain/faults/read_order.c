// SPDX-License-Identifier: BSD-3-Clause
// The compiler fault that load32() avoids: a volatile load moves into a delay slot, below the next volatile
// load. Compiled twice: with the accessor, and with PLAIN_VOLATILE.
#include "firmware/chip/mmio.h"

#ifdef PLAIN_VOLATILE
#define READ(address) (*(const volatile uint32_t*)(address))
#else
#define READ(address) load32((const volatile void*)(address))
#endif

uint32_t other(void);
uint32_t in_order(void);
uint32_t in_order(void) {
    uint32_t first = READ(0xfffffd28u);
    if (READ(0xfffffd30u) == 0)
        return other() + first;
    return first;
}
