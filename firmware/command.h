/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Commands of the driver.
 *
 * Concepts: one at a time through globals.mailbox. A command that takes memory away is done when everything queued
 * before it is done: DMA on every channel, packets in the port and in the transmit queue.
 */
#ifndef MYRI_FIRMWARE_COMMAND_H
#define MYRI_FIRMWARE_COMMAND_H

#include "firmware/globals.h"

extern uint32_t command_done; /* number of the last command carried out: the mailbox asks when it differs */

static inline int command_waits(void) { return load32(&globals.mailbox.request) != command_done; }

/* Begins the command that waits, or looks whether the one begun can end. */
void command_step(void);

#endif
