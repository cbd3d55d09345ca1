/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What runs first: the LANai leaves reset with pc = 0, where lanai-ld puts .text.start. Sets up the stack,
 * clears bss and calls main(); if main() returns, the processor stays in a tight loop.
 */

#define STACK_BYTES 4096 /* a guess of far more than the firmware needs: it has no recursion */

    .section .text.start,"ax",@progbits
    .globl  _start
    .type   _start,@function
_start:
    mov     __stack_top, %sp
    mov     __stack_top, %fp
    mov     __bss_start, %r6
    mov     __bss_end, %r7
.Lclear:
    sub.f   %r6, %r7, %r0
    buge    .Lcall
    nop
    bt      .Lclear
    st      %r0, [%r6++]                /* in the slot */
.Lcall:
    mov     .Lreturned, %rca
    st      %rca, [--%sp]
    bt      main
    nop
.Lreturned:
    bt      .Lreturned
    nop
    .size   _start, . - _start

    .section .bss.stack,"aw",@nobits
    .balign 8
    .globl  __stack_bottom
__stack_bottom:
    .space  STACK_BYTES
    .globl  __stack_top
__stack_top:
