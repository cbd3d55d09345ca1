/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What the host finds through struct fw_globals, and the counters.
 *
 * Concepts: tables that the driver writes (endpoints, windows, peers) live here; parts of the firmware keep what
 * they have checked of them in structures of their own.
 */
#ifndef MYRI_FIRMWARE_GLOBALS_H
#define MYRI_FIRMWARE_GLOBALS_H

#include "abi/firmware.h"
#include "firmware/chip/lanai_x.h"

extern struct fw_globals globals;
extern struct fw_endpoint endpoint_table[FW_ENDPOINTS];
extern struct fw_window window_table[FW_ENDPOINTS][FW_WINDOWS];
extern struct fw_peer peer_table[FW_PEERS];
extern uint32_t peer_count;  /* indices taken up */
extern uint32_t peers_dense; /* all of them below this exist: the short way's test */
/* The table's routes as send descriptors, copied when the table was taken up: the driver may rewrite its own. */
struct peer_route {
    uint32_t address;
    uint32_t length; /* with LANAI_SEND_ROUTE */
    uint8_t bytes[FW_ROUTE_MAX];
};
extern struct peer_route peer_routes[FW_PEERS];
extern uint32_t my_card; /* low 32 bits of the MAC address */
extern uint32_t counters[FW_COUNTER_COUNT];

#define COUNT(name) (counters[FW_COUNTER_##name]++)

/* Waits for the driver's parameters. */
void globals_init(void);

/* The table may be ahead of what was taken up. */
static inline int peer_exists(uint32_t index) {
    return index < peer_count && load8(&peer_table[index].route_length) != 0;
}

/* Takes up the driver's peer table of `count` entries. */
void peers_take(uint32_t count);

/* The index of the peer with these low 32 bits of a MAC address, or FW_PEERS. */
uint32_t peer_find(uint32_t card);

#endif
