/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What firmware reads of a packet on the wire.
 *
 *   source route | wire_header | body | CRC-32 | CRC-8
 *
 * Route, CRC-32 and CRC-8 belong to the hardware. The sending firmware builds the header itself, from its own
 * endpoint table and the slot's checked fields. For MESSAGE and CONNECT the body belongs to the libraries
 * (abi/message.h); for PULL, FRAME and NACK it is one of the structures below. Nothing here is trusted by the
 * receiver beyond what it checks against its own tables.
 *
 * MESSAGE and CONNECT bodies: at most WIRE_BODY_INLINE bytes; or the first WIRE_BODY_INLINE bytes, a gap of
 * WIRE_BODY_GAP bytes that the sender leaves 0, and data. The receiving card writes the event's trailer into the
 * gap (behind a short body), so that header, body and trailer go to the host in one 64-byte transfer and the
 * data lands aligned.
 */
#ifndef MYRI_ABI_WIRE_H
#define MYRI_ABI_WIRE_H

#include "abi/types.h"

#define WIRE_TYPE    0x4d59u /* Myrinet packet type; bit 15 is 0 as the hardware demands */
#define WIRE_VERSION 1u

enum wire_kind {
    WIRE_MESSAGE = 1, /* library to library; the session must be the endpoint's */
    WIRE_CONNECT = 2, /* library to library; any session, the endpoint must be open */
    WIRE_PULL = 3,    /* card to card: asks for frames of a grant */
    WIRE_FRAME = 4,   /* card to card: one frame of a pulled block */
    WIRE_NACK = 5,    /* card to library: a packet was refused */
};

struct wire_header {
    be16 type;          /* WIRE_TYPE */
    uint8_t version;    /* WIRE_VERSION */
    uint8_t kind;       /* enum wire_kind */
    uint8_t dst_endpoint;
    uint8_t src_endpoint;
    be16 length;        /* bytes of body */
    be32 dst_session;
    be32 src_card;      /* low 32 bits of the sending card's MAC address, unique within a peer table */
};
MYRI_ASSERT_SIZE(struct wire_header, 16);

#define WIRE_BODY_INLINE 40u
#define WIRE_BODY_GAP    8u
#define WIRE_BODY_DATA   (WIRE_BODY_INLINE + WIRE_BODY_GAP) /* offset of data in a longer body */
#define WIRE_DATA_MAX    4096u                              /* data bytes of a MESSAGE packet */

/* Large messages move in blocks of the granted byte stream; a block has one checksum and travels in frames. */
#define WIRE_BLOCK_SIZE  32768u
#define WIRE_FRAME_SHIFT_MIN 12u
#define WIRE_FRAME_SHIFT_MAX 13u /* 8 KiB frames: 34 bytes around 8192 leave 248.97 of 250 MB/s */

struct wire_pull {
    be32 src_session;      /* of the pulling endpoint: frames go to it, and the grant must name it */
    be16 grant;            /* index and generation of the grant asked */
    be16 grant_generation;
    be16 pull;             /* the puller's handle and its generation, echoed in every frame */
    be16 pull_generation;
    be16 block;            /* block number within the grant */
    uint8_t frame_shift;   /* frames are 1 << frame_shift bytes, the last of a grant shorter */
    uint8_t frames;        /* bit n set: frame n of the block is wanted */
};
MYRI_ASSERT_SIZE(struct wire_pull, 16);

struct wire_frame {
    be16 pull;
    be16 pull_generation;
    be16 block;
    uint8_t frame;         /* number within the block; its place follows from it */
    uint8_t flags;         /* WIRE_FRAME_CRC */
    be32 crc;              /* CRC-32C of the whole block, when flagged */
};
MYRI_ASSERT_SIZE(struct wire_frame, 12);
#define WIRE_FRAME_CRC 1u /* set in the last frame of a block */

enum wire_refusal {
    WIRE_REFUSED_CLOSED = 1,      /* the endpoint is not open */
    WIRE_REFUSED_SESSION = 2,     /* it is open with another session */
    WIRE_REFUSED_FULL = 3,        /* its event or receive ring is full */
    WIRE_REFUSED_GRANT = 4,       /* no such grant for this peer, or its window is gone */
};

/* A refusal. It carries no end-to-end checksum and is only a hint; the fields echo the refused packet. */
struct wire_nack {
    uint8_t reason;         /* enum wire_refusal */
    uint8_t kind;           /* enum wire_kind of the refused packet */
    be16 pull;              /* of a refused PULL, else 0 */
    be16 pull_generation;
    be16 reserved;          /* 0 */
    be32 session;           /* dst_session of the refused packet */
};
MYRI_ASSERT_SIZE(struct wire_nack, 12);

#endif /* MYRI_ABI_WIRE_H */
