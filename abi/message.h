/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Library to library: what stands in the body of a MESSAGE or CONNECT packet. Opaque to firmware.
 *
 * Sequence numbers count messages, not packets, per direction between two endpoints. EAGER, MEDIUM and RENDEZVOUS are
 * matched strictly in their order; NOTIFY, WINDOW_DONE, WINDOW_NEXT and GRANT_WANTED are acted upon once, on arrival.
 * All of them are acknowledged by `ack` (the next sequence number expected) in any packet that goes back.
 * Unsequenced kinds are control packets; losing one is repaired by a resend, a probe or the next one.
 *
 * The checksum is a CRC-32C over struct msg_pseudo_header, then the header from `kind` to its end, then the
 * packet's data bytes. A packet whose checksum differs is dropped as if the wire had lost it.
 */
#ifndef MYRI_ABI_MESSAGE_H
#define MYRI_ABI_MESSAGE_H

#include "abi/types.h"
#include "abi/wire.h"

#define MSG_TINY_MAX     32u
#define MSG_SMALL_MAX    128u   /* eager data written into the slot */
#define MSG_MEDIUM_MAX   32768u /* eager data through the send ring, in fragments */
#define MSG_FRAGMENTS    8u     /* of one message, at most */
#define MSG_FRAGMENT_SHIFT_MIN 10u
#define MSG_FRAGMENT_SHIFT_MAX 12u
#define MSG_FRAGMENT_MAX WIRE_DATA_MAX

enum msg_kind {
    MSG_EAGER = 1,         /* sequenced; the whole message, up to MSG_SMALL_MAX bytes */
    MSG_MEDIUM = 2,        /* sequenced; in fragments of one size, a power of two that the sender chooses; the last shorter */
    MSG_RENDEZVOUS = 3,    /* sequenced; struct msg_rendezvous; `length` is the message's */
    MSG_NOTIFY = 4,        /* sequenced; struct msg_notify: the receiver is done with a rendezvous */
    MSG_WINDOW_DONE = 5,   /* sequenced; struct msg_window: a window of a long message is done */
    MSG_WINDOW_NEXT = 6,   /* sequenced; struct msg_rendezvous: the next window's grant */
    MSG_ACK = 7,           /* `match`: bit n says message ack + 1 + n is there; `length`: bit n says fragment n of
                              message ack is there; with MSG_FLAG_GAP what is missing before the last of them is to
                              be resent at once, with MSG_FLAG_LOST everything else that was sent */
    MSG_PROBE = 8,         /* asks for an ACK at once */
    MSG_CONNECT = 9,       /* struct msg_connect in a CONNECT packet */
    MSG_CONNECT_REPLY = 10, /* struct msg_connect in a CONNECT packet */
    MSG_CLOSE = 11,        /* the endpoint is about to close; sequenced messages before it have been sent */
    MSG_GRANT_WANTED = 12, /* sequenced; struct msg_window: the receiver is ready to pull, but has no (good) grant */
};

struct msg_header {
    be32 crc;
    uint8_t kind;          /* enum msg_kind */
    uint8_t flags;         /* MSG_FLAG_* */
    be16 sequence;         /* sequenced kinds; else 0 */
    be64 match;
    be32 length;           /* of the whole message */
    be16 ack;              /* next sequence number expected from the other side */
    be16 fragment;         /* MEDIUM: log2 of the fragments' size << 8 | number of this one */
};
MYRI_ASSERT_SIZE(struct msg_header, 24);
#define MSG_FLAG_NO_CRC 1u /* the checksum was switched off by the sender; crc is 0 */
#define MSG_FLAG_SYNC   2u /* RENDEZVOUS of an issend: complete only when matched */
#define MSG_FLAG_GAP    4u /* ACK: message `ack` is missing although later ones were sent */
#define MSG_FLAG_LOST   8u /* ACK: the sender's card was restarted: nothing is on its way to it any more */

/* Data up to MSG_INLINE_MAX bytes stands behind the header; longer data at WIRE_BODY_DATA. */
#define MSG_INLINE_MAX (WIRE_BODY_INLINE - 24u)

/* Never sent; both sides know these values and the checksum begins with them. */
struct msg_pseudo_header {
    be64 src;              /* MAC << 16 | endpoint */
    be64 dst;
    be32 src_session;
    be32 dst_session;      /* 0 in a CONNECT that is not a reply */
};
MYRI_ASSERT_SIZE(struct msg_pseudo_header, 24);

/*
 * The bodies below stand at offset 24, inline.
 *
 * In a CONNECT and its reply `match` is the receiver's session as the sender knows it; 0: not at all. If it is right,
 * `ack` and `given_up` count: when the latter has grown, every rendezvous between the two has come to nothing.
 */
struct msg_connect {
    be32 session;          /* of the sender */
    be32 key;              /* CONNECT: the filter shown; REPLY: enum msg_connect_status */
    be32 number;           /* of the connect; echoed in the reply */
    be16 next_sequence;    /* first sequence number that the sender will use */
    be16 given_up;         /* how often the sender has given up what was open between these two sessions */
};
MYRI_ASSERT_SIZE(struct msg_connect, 16);
enum msg_connect_status { MSG_CONNECT_ACCEPTED = 0, MSG_CONNECT_BAD_KEY = 1 };

/*
 * A grant of `granted` bytes of the message, from `offset` on. 0 bytes in a RENDEZVOUS: ask for one (GRANT_WANTED) when
 * matched; in a WINDOW_NEXT: there is no such rendezvous any more.
 */
struct msg_rendezvous {
    be16 grant;
    be16 grant_generation;
    be32 granted;
    be32 offset;           /* in the message; a multiple of its windows' size */
    be16 rendezvous;       /* number that the sender gave the message; unique among those that are not notified */
    be16 window_blocks;    /* RENDEZVOUS: blocks of 32 KiB in each of the message's windows, 1..256;
                              the last may be shorter */
};
MYRI_ASSERT_SIZE(struct msg_rendezvous, 16);

struct msg_window {
    be16 rendezvous;       /* number of the message */
    be16 grant;
    be16 grant_generation;
    be16 reserved;
    be32 offset;
};
MYRI_ASSERT_SIZE(struct msg_window, 12);

struct msg_notify {
    be16 rendezvous;       /* number of the message that ends here */
    be16 status;           /* enum msg_notify_status */
    be32 taken;            /* bytes the receiver stored */
};
MYRI_ASSERT_SIZE(struct msg_notify, 8);
enum msg_notify_status { MSG_NOTIFY_DONE = 0, MSG_NOTIFY_TRUNCATED = 1, MSG_NOTIFY_DAMAGED = 2 };

#endif /* MYRI_ABI_MESSAGE_H */
