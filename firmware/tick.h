/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Timers.
 *
 * Concepts: IT0 is the heartbeat. IT1 ticks every TICK_US, but only while somebody wants it: an idle card must not
 * wake for nothing. A want is dropped at each tick; whoever still needs one asks again.
 */
#ifndef MYRI_FIRMWARE_TICK_H
#define MYRI_FIRMWARE_TICK_H

#include "firmware/globals.h"

#define TICK_US 250u

#define TICK_PULLS 1u /* open pulls watch their deadlines */
#define TICK_WAKES 2u /* unread events */
#define TICK_SLOTS 4u /* consumed slots that could not be reported */

void tick_init(void);
void tick_want(uint32_t who);
/* Handles the timer bits of the ISR that were set. */
void tick_interrupt(uint32_t isr);

#endif
