// SPDX-License-Identifier: BSD-3-Clause
// What start-up code owes to main(): cleared bss (all of it and nothing behind it), loaded data, an aligned
// stack, and a place to return to. start-up.sh runs this in SRAM full of ones.
#include "tests/toolchain/print.h"

extern uint32_t __bss_start[], __bss_end[], __stack_bottom[], __stack_top[];
uint32_t value = 0x600dda7a;
uint32_t zeroes[300];
__attribute__((section(".at.1000"))) uint32_t fixed = 0xf1;

int main(void) {
    volatile uint64_t local = 0;
    uint32_t ones = 0;
    for (uint32_t* p = __bss_start; p < __bss_end; p++)
        if (p < __stack_bottom || p >= __stack_top)
            ones += load32(p) != 0;
    show("bss words not zero:", ones);
    uint32_t* all = (uint32_t*)hidden((uint32_t)zeroes);
    show("zeroes inside bss:", all >= __bss_start && all + 300 <= __bss_end);
    show("behind bss:", load32(__bss_end));
    show("data:", value);
    show("fixed:", (uint32_t)(uintptr_t)&fixed ^ fixed);
    show("stack:", (uintptr_t)&local % 8 == 0 && (uint32_t*)&local >= __stack_bottom &&
                       (uint32_t*)&local < __stack_top);
    return 0;
}
