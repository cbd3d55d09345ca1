/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Pulling: the receiving side of a large message.
 *
 * Concepts: a pull asks the peer's card for blocks of its grant, PULL_BLOCKS_OPEN at a time. Each open block has a
 * context with the frames still missing and the pieces of the own window. Data is placed by the own handle and the
 * frame's number only. Missing frames are asked for again by themselves. When a block is whole an event follows its
 * data; the handle is free again before the event of the last block.
 */
#ifndef MYRI_FIRMWARE_PULL_H
#define MYRI_FIRMWARE_PULL_H

#include "firmware/event.h"

/* Takes up the request in the endpoint's slot. 0: begun; else enum fw_slot_error. */
uint32_t pull_begin(struct endpoint* e, uint32_t peer, uint32_t dst_endpoint);

/* A FRAME for an open endpoint. False: something it needs is busy. */
int pull_frame(struct endpoint* e, uint32_t* packet, uint32_t body);

/* Work that waits for room: pulls without their blocks, requests not yet sent. */
extern uint32_t pull_work;
void pull_step(void);

/* Ends the pull, if it is open with this generation. Nothing is queued for it afterwards. */
void pull_retire(struct endpoint* e, uint32_t index, uint32_t generation);
/* Ends the endpoint's pulls, all or (window < FW_WINDOWS) those into one window. */
void pull_end(uint32_t endpoint, uint32_t window);

/* Timer tick. True while pulls are open. */
int pull_tick(void);

#endif
