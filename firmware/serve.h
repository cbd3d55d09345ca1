/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Serving pulls: the sending side of a large message.
 *
 * Concepts: a PULL names a grant; the grant stands in the owner's SRAM window and is checked against who asks and
 * against the window table. Each block asked for has a context; frames are read from host memory into staging buffers
 * a few ahead and go out through the transmit queue. A block goes only once its checksum stands beside the grant, or, if
 * its data stands in place already, all but its last frame.
 */
#ifndef MYRI_FIRMWARE_SERVE_H
#define MYRI_FIRMWARE_SERVE_H

#include "firmware/event.h"

/* A PULL for an open endpoint with the right session. True: dealt with; *refused set if the grant does not hold. */
int serve_request(struct endpoint* e, const uint32_t* packet, uint32_t body, int* refused);

extern uint32_t serves_active;
/* Begins the next frame, if there is one and room for it. */
void serve_step(void);

/* Sends nothing more of this grant; reads already queued may still run. */
void serve_retire(struct endpoint* e, uint32_t grant, uint32_t generation);
/* Ends the endpoint's serves, all or (window < FW_WINDOWS) those from one window. */
void serve_end(uint32_t endpoint, uint32_t window);

#endif
