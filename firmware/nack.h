/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Refusals.
 *
 * Concepts: a nack is a hint that spares the sender a timeout, so it is never waited for: when the port or the queue
 * has no room, or too many were sent lately, the packet is dropped and counted like one that the wire lost.
 */
#ifndef MYRI_FIRMWARE_NACK_H
#define MYRI_FIRMWARE_NACK_H

#include "abi/wire.h"

/* Refuses the packet whose header (and body) stands at `packet`. */
void nack_send(const uint32_t* packet, enum wire_refusal reason);
/* Timer tick: allows further nacks. */
void nack_tick(void);

#endif
