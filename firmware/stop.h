/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The end of the firmware's work, until the card is reset.
 *
 * Concepts: arriving packets are dropped and nothing is held in the port, for other cards must not be stopped by this
 * one. The host is interrupted and finds the reason in the globals.
 */
#ifndef MYRI_FIRMWARE_STOP_H
#define MYRI_FIRMWARE_STOP_H

#include "abi/firmware.h"

/* Status ERROR, the reason in globals.error. */
_Noreturn void firmware_stop(enum fw_error reason);

/*
 * ISR.PARITY_INT is set: status PARITY. No transfer is begun any more, not even that of an MSI: what it would read may
 * be what is damaged. Waits with REQ_ACK_1 set until the host has seen it, and then for the reset.
 */
_Noreturn void firmware_stop_parity(void);

#endif
