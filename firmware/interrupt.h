/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Interrupts to the host.
 *
 * Concepts: REQ_ACK_0, or with MSI a 4-byte write behind everything on the WRITE channel, so that the events it
 * announces are there before it. If that channel is full the interrupt is owed and goes out as soon as a transfer has
 * ended.
 */
#ifndef MYRI_FIRMWARE_INTERRUPT_H
#define MYRI_FIRMWARE_INTERRUPT_H

#include <stdint.h>

void interrupt_raise(void);

/*
 * Why the end of a WRITE transfer may have to be followed by an interrupt: the number of endpoints with wake_noted set,
 * plus INTERRUPT_OWED. One word, for it is looked at once for each event.
 */
extern uint32_t interrupt_causes;
#define INTERRUPT_OWED 0x10000u

/* Where the WRITE channel may not work any more: on the BENCH channel, whatever comes of it. */
void interrupt_raise_last(void);

#endif
