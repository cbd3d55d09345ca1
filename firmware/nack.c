/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/nack.h"
#include "firmware/transmit.h"

/* Nacks are rate-limited, so that guessing sessions is slow and a flood costs no send bandwidth. */
#define NACKS_PER_PERIOD 1000u /* period: the heartbeat's */
static uint32_t allowance = NACKS_PER_PERIOD;

void nack_tick(void) {
    allowance = NACKS_PER_PERIOD;
}

void nack_send(const uint32_t* packet, enum wire_refusal reason) {
    if (reason == WIRE_REFUSED_FULL)
        COUNT(refused_full);
    uint32_t kind = load32(&packet[0]) & 0xff;
    if (kind == WIRE_NACK || kind == WIRE_FRAME || allowance == 0 || !port_has_room())
        return;
    uint32_t peer_index = peer_find(load32(&packet[3]));
    if (peer_index == FW_PEERS)
        return;
    uint32_t addresses = load32(&packet[1]);
    uint32_t pull = kind == WIRE_PULL && (addresses & 0xffff) == sizeof(struct wire_pull) ? load32(&packet[6]) : 0;
    uint32_t* header = transmit_header();
    header[0] = WIRE_TYPE << 16 | WIRE_VERSION << 8 | WIRE_NACK;
    header[1] = (addresses >> 16 & 0xff) << 24 | addresses >> 24 << 16 | sizeof(struct wire_nack);
    header[2] = 0;
    header[3] = my_card;
    header[4] = (uint32_t)reason << 24 | kind << 16 | pull >> 16;
    header[5] = pull << 16;
    header[6] = load32(&packet[2]);
    transmit_begin(peer_index, header, (sizeof(struct wire_header) + sizeof(struct wire_nack)) | LANAI_SEND_LAST);
    transmit_end((struct release){NO_ENDPOINT, STAGING_NONE});
    allowance--;
    COUNT(nacks_sent);
}
