/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The contract between firmware and host: what lies where in SRAM, request slots, events, grants, windows.
 *
 * Concepts
 *  globals   one structure at a fixed SRAM address; the driver finds everything else through it.
 *  endpoint  a process's share of the card: a 16 KiB SRAM window it may write, and rings in host memory.
 *  slot      a request, written by the process into its SRAM window.
 *  event     64 bytes that the firmware writes by DMA into the endpoint's event ring; the process polls it.
 *  window    registered user memory, named by index and generation: a process never names a bus address.
 *  grant     the right of one peer to pull one range of a window; it stands in the owner's SRAM window and is
 *            checked each time it is used, so a process can only give away its own windows.
 *
 * Whoever may write a place is trusted with nothing beyond it: firmware checks copies of the fields that a process
 * can write and uses only those; what it must look at again (a grant's generation, a checksum's tag) it compares.
 */
#ifndef MYRI_ABI_FIRMWARE_H
#define MYRI_ABI_FIRMWARE_H

#include "abi/types.h"
#include "abi/wire.h"

#define FW_ABI_VERSION 3u
#define FW_MAGIC       0x6d797269u /* "myri" */
#define FW_GLOBALS     0x1000u     /* SRAM address of struct fw_globals */

#define FW_ENDPOINTS             32u
#define FW_ENDPOINT_WINDOW_SIZE  0x4000u
#define FW_PEERS                 512u
#define FW_WINDOWS               64u /* registered windows per endpoint */
#define FW_GRANTS                16u /* grants per endpoint */
#define FW_PULLS                 8u  /* pull handles per endpoint */

/* ---- slots ---------------------------------------------------------------------------------------------- */

#define FW_SLOTS      32u
#define FW_SLOT_SIZE  256u
#define FW_SLOT_BODY  240u /* bodies end here: a body of n bytes begins at FW_SLOT_BODY - round_up(n, 8) */

/*
 * Generations tell a new entry of a ring from the one that was there a lap before. Entry `count` (counting from
 * 0 without wrapping) of a ring of `entries` carries FW_GENERATION(count, entries), which is never 0.
 */
#define FW_GENERATION(count, entries) (0x8000u | (((uint32_t)(count) / (entries)) & 0x7fffu))

enum fw_slot_type {
    FW_SLOT_SEND = 1,    /* the body goes out as a MESSAGE */
    FW_SLOT_MEDIUM = 2,  /* body of WIRE_BODY_DATA bytes from the slot, then `length` bytes from the send ring */
    FW_SLOT_CONNECT = 3, /* the body goes out as a CONNECT */
    FW_SLOT_PULL = 4,    /* body: struct fw_pull_request */
    FW_SLOT_RETIRE = 5,  /* body: struct fw_retire_request */
};

struct fw_slot {
    uint8_t body[FW_SLOT_BODY];
    be32 dst_session;
    be32 argument;       /* MEDIUM: offset of the data in the send ring, a multiple of 64 */
    /* The last 8 bytes are stored at once, after a barrier behind everything above. */
    be16 peer;           /* index into the peer table */
    uint8_t dst_endpoint;
    uint8_t type;        /* enum fw_slot_type */
    be16 length;         /* MEDIUM: bytes in the send ring; else bytes of body */
    be16 generation;     /* FW_GENERATION(slot count, FW_SLOTS) */
};
MYRI_ASSERT_SIZE(struct fw_slot, FW_SLOT_SIZE);
MYRI_ASSERT_OFFSET(struct fw_slot, peer, 248);

/* Pulls the blocks of a peer's grant into an own window: slot fields peer, dst_endpoint, dst_session name it. */
struct fw_pull_request {
    be16 pull;               /* handle to use, 0..FW_PULLS-1; its previous use must be over */
    be16 pull_generation;
    be16 grant;
    be16 grant_generation;
    be16 window;
    be16 window_generation;
    be32 window_offset;      /* where byte 0 of first_block goes */
    be16 first_block;        /* blocks of the grant to pull */
    be16 block_count;
    be32 length;             /* bytes from first_block on: block_count blocks, the last may be short */
    be32 deadline_ms;        /* fail when no new frame came for so long */
};
MYRI_ASSERT_SIZE(struct fw_pull_request, 28);

/* After the RETIRED event the card touches the memory behind the named thing no more. */
struct fw_retire_request {
    uint8_t what;            /* enum fw_retire */
    uint8_t reserved;
    be16 index;
    be16 generation;
};
MYRI_ASSERT_SIZE(struct fw_retire_request, 6);
enum fw_retire { FW_RETIRE_PULL = 1, FW_RETIRE_GRANT = 2 };

/* ---- an endpoint's SRAM window -------------------------------------------------------------------------- */

struct fw_grant_crc {
    be32 tag;                /* grant generation << 16 | block: stored together with the checksum, 8 bytes */
    be32 crc;                /* CRC-32C of the block */
};
#define FW_GRANT_CRCS 16u

struct fw_grant {
    be16 generation;         /* 0: no grant. Stored last, after a barrier */
    be16 window;
    be16 window_generation;
    uint8_t peer_endpoint;
    uint8_t flags;           /* FW_GRANT_IN_PLACE */
    be32 offset;             /* of the granted range in the window */
    be32 length;             /* at most FW_WINDOW_MAX */
    be32 peer_card;          /* who may pull */
    be32 peer_session;
    be32 reserved1[2];
    struct fw_grant_crc crcs[FW_GRANT_CRCS]; /* block n in entry n % FW_GRANT_CRCS */
    uint8_t reserved2[96];
};
MYRI_ASSERT_SIZE(struct fw_grant, 256);
MYRI_ASSERT_OFFSET(struct fw_grant, crcs, 32);
/*
 * The data stands in the window already: only the frame that carries a block's checksum waits for it. Without the flag
 * the process writes a block before its checksum, and the card reads nothing of it earlier.
 */
#define FW_GRANT_IN_PLACE 1u

struct fw_endpoint_window {
    struct fw_slot slots[FW_SLOTS];
    /* What the process has read, as counts that wrap at 2^32; firmware never writes more than fits behind. */
    be32 events_consumed;
    be32 receive_consumed;   /* bytes of the receive ring */
    be32 wake_after_us;      /* how long an event may lie unread before an interrupt; FW_WAKE_NEVER */
    uint8_t reserved0[244];
    struct fw_grant grants[FW_GRANTS];
    uint8_t reserved1[3840];
};
MYRI_ASSERT_SIZE(struct fw_endpoint_window, FW_ENDPOINT_WINDOW_SIZE);
#define FW_WAKE_NEVER 0xffffffffu

/* ---- events --------------------------------------------------------------------------------------------- */

#define FW_EVENT_SIZE 64u

enum fw_event_type {
    FW_EVENT_PACKET = 1,   /* header and body of a MESSAGE, CONNECT or NACK; argument: position of its data */
    FW_EVENT_SLOTS = 2,    /* only `slots_done` is news */
    FW_EVENT_BAD_SLOT = 3, /* a = slot count (low 16 bits), b = enum fw_slot_error */
    FW_EVENT_BLOCK = 4,    /* a = pull << 16 | generation, b = block, argument = CRC-32C as sent */
    FW_EVENT_PULL_FAILED = 5, /* a = pull << 16 | generation, b = enum fw_pull_failure */
    FW_EVENT_RETIRED = 6,  /* a = index << 16 | generation, b = enum fw_retire */
    FW_EVENT_GRANT_ASKED = 7, /* a = grant << 16 | generation, b = block: its checksum is wanted now */
};

/*
 * The firmware writes the last 16 bytes of short events, all 64 for packets; the trailer (last 8 bytes) arrives
 * last. An entry is new when its generation is FW_GENERATION(event count, ring entries).
 */
struct fw_event {
    union {
        struct {
            struct wire_header header;
            uint8_t body[WIRE_BODY_INLINE];
        } packet;
        struct {
            uint8_t unused[48];
            be32 a;
            be32 b;
        } brief;
    } u;
    be32 argument;       /* PACKET with data: position in the receive ring, counted without wrapping mod 2^32 */
    uint8_t type;        /* enum fw_event_type */
    uint8_t slots_done;  /* slots consumed since the endpoint was opened, modulo 256 */
    be16 generation;
};
MYRI_ASSERT_SIZE(struct fw_event, FW_EVENT_SIZE);
MYRI_ASSERT_OFFSET(struct fw_event, argument, 56);

enum fw_slot_error {
    FW_SLOT_BAD_TYPE = 1,
    FW_SLOT_BAD_PEER = 2,
    FW_SLOT_BAD_LENGTH = 3,
    FW_SLOT_BAD_RANGE = 4,  /* outside the send ring, the window or the handles */
    FW_SLOT_BAD_WINDOW = 5, /* no such window or another generation */
    FW_SLOT_BAD_STATE = 6,  /* the pull handle is still in use */
};

enum fw_pull_failure {
    FW_PULL_TIMEOUT = 1,    /* no new frame within the request's deadline */
};

/*
 * The receive ring is a ring of bytes. Data of a packet takes round_up(length, FW_RECEIVE_ALIGN) bytes and never
 * wraps: if it does not fit before the end, the rest of the ring is skipped. Consuming position p + that size
 * frees everything before it.
 */
#define FW_RECEIVE_ALIGN 64u

/* ---- what the driver writes ----------------------------------------------------------------------------- */

/* Ring sizes are powers of two; event_entries 64..16384, receive and send ring 16 KiB..16 MiB. */
struct fw_endpoint {
    be32 state;             /* enum fw_endpoint_state; written by the driver before the command */
    be32 session;
    be64 event_ring;        /* bus addresses */
    be64 receive_ring;
    be64 send_ring;
    be32 event_entries;
    be32 receive_size;
    be32 send_size;
    be32 wake_count;        /* firmware adds one each time it raises the interrupt for this endpoint */
    be32 reserved[4];
};
MYRI_ASSERT_SIZE(struct fw_endpoint, 64);
enum fw_endpoint_state {
    FW_ENDPOINT_CLOSED = 0,
    FW_ENDPOINT_OPEN = 1,
    FW_ENDPOINT_HELD = 2, /* exists, but its process has not come back since the card was restarted: its packets are
                             dropped without an answer */
};

/*
 * A window's page list is contiguous on the bus: for each WIRE_BLOCK_SIZE bytes of the window, FW_WINDOW_PIECES
 * pieces in order; a piece of length 0 ends a block's pieces early. Memory that needs more is not registered.
 */
struct fw_piece {
    be64 address;
    be32 length;
    be32 reserved;
};
MYRI_ASSERT_SIZE(struct fw_piece, 16);
#define FW_WINDOW_PIECES 16u
#define FW_WINDOW_MAX    (8u << 20)

struct fw_window {
    be64 list;               /* bus address of the page list */
    be32 length;             /* bytes, at most FW_WINDOW_MAX; 0: no such window */
    be16 generation;
    be16 flags;              /* FW_WINDOW_WRITABLE */
};
MYRI_ASSERT_SIZE(struct fw_window, 16);
#define FW_WINDOW_WRITABLE 1u /* registered for writing: pulls may go there */

/* An index of the peer table never changes its card until the card is booted anew. */
#define FW_ROUTE_MAX 8u
struct fw_peer {
    be32 card;               /* low 32 bits of the MAC address; 0: none ever stood here */
    uint8_t route_length;    /* 1..FW_ROUTE_MAX; 0: no peer here now */
    uint8_t port;            /* of the sending card */
    uint8_t route[FW_ROUTE_MAX];
    be16 order;              /* index of the peer that is n-th by `card`, for n = this index */
};
MYRI_ASSERT_SIZE(struct fw_peer, 16);

/* ---- driver commands ------------------------------------------------------------------------------------ */

/*
 * One command at a time: the driver writes opcode and arguments, then `request` = done + 1. The firmware carries
 * it out, writes result, then done = request, and raises REQ_ACK_0.
 */
enum fw_command {
    FW_COMMAND_OPEN = 1,          /* arg0 = endpoint: take up what its fw_endpoint says */
    FW_COMMAND_CLOSE = 2,         /* arg0 = endpoint: done when the card touches its memory no more */
    FW_COMMAND_RETIRE_WINDOW = 3, /* arg0 = endpoint, arg1 = window: likewise for a window whose length is now 0 */
    FW_COMMAND_PEERS = 4,         /* arg0 = number of indices: the peer table has been rewritten */
    FW_COMMAND_DMABENCH = 5,      /* arg0 = enum fw_dmabench, arg1 = bytes, arg2 = count, arg3/4 = bus high/low;
                                     result1 = cycles */
};
enum fw_dmabench { FW_DMABENCH_READ = 1, FW_DMABENCH_WRITE = 2, FW_DMABENCH_BOTH = 3 };
#define FW_DMABENCH_MAX 65536u /* bytes of one transfer */

enum fw_command_result { FW_RESULT_OK = 0, FW_RESULT_BAD_OPCODE = 1, FW_RESULT_BAD_ARGUMENT = 2, FW_RESULT_DMA_ERROR = 3 };

struct fw_mailbox {
    be32 request;
    be32 opcode;
    be32 arg[6];
    be32 done;
    be32 result;             /* enum fw_command_result */
    be32 result1;
    be32 reserved;
};
MYRI_ASSERT_SIZE(struct fw_mailbox, 48);

/* ---- globals -------------------------------------------------------------------------------------------- */

enum fw_status {
    FW_STATUS_LOAD = 0,      /* SRAM was zeroed */
    FW_STATUS_INIT = 1,      /* waits for parameters */
    FW_STATUS_RUN = 2,
    FW_STATUS_ERROR = 3,     /* stopped; `error` says why */
    FW_STATUS_PARITY = 4,    /* SRAM parity error: nothing is sent or transferred any more; REQ_ACK_1 is set */
};

enum fw_error { FW_ERROR_NONE = 0, FW_ERROR_PARAMETERS = 1, FW_ERROR_DMA = 2, FW_ERROR_MEMORY = 3 };

struct fw_globals {
    /* firmware writes, before INIT */
    be32 magic;              /* FW_MAGIC */
    be32 abi_version;        /* FW_ABI_VERSION */
    be32 status;             /* enum fw_status */
    be32 error;              /* enum fw_error */
    be32 endpoints;          /* SRAM offset of struct fw_endpoint[FW_ENDPOINTS] */
    be32 endpoint_windows;   /* of struct fw_endpoint_window[FW_ENDPOINTS] */
    be32 windows;            /* of struct fw_window[FW_ENDPOINTS][FW_WINDOWS] */
    be32 peers;              /* of struct fw_peer[FW_PEERS] */
    be32 counters;           /* of be32[counter_count] in the order of FW_COUNTERS */
    be32 counter_count;
    be32 idle_loop;          /* address of the main loop's head; no meaning to real hardware */
    be32 heartbeat;          /* grows every FW_HEARTBEAT_MS */
    /* driver writes, before params_ready = 1 */
    be32 params_ready;
    be32 mac_high;           /* upper 16 bits */
    be32 mac_low;
    be32 sram_size;          /* bytes that firmware may use: without the EEPROM strings */
    be32 core_khz;           /* processor clock */
    be32 critical_end;       /* firmware writes, before INIT: end of program text and constants, which begin at 0 */
    /*
     * driver writes, at any time: MSI. While msi_enabled is not 0 the firmware raises the interrupt by writing
     * msi_data, a little-endian word, to this bus address; otherwise by REQ_ACK_0. To change them the driver stores 0
     * first and then another number than before, so that no mixture of old and new is used.
     */
    be32 msi_enabled;
    be32 msi_address_high;
    be32 msi_address_low;
    be32 msi_data;
    be32 reserved[2];
    char version[48];        /* firmware's text, NUL-terminated */
    struct fw_mailbox mailbox;
};
MYRI_ASSERT_OFFSET(struct fw_globals, version, 96);
MYRI_ASSERT_SIZE(struct fw_globals, 192);
#define FW_HEARTBEAT_MS 100u

/* Counters: X(name, label). New ones at the end. */
#define FW_COUNTERS(X)                                                                                             \
    X(packets_sent, "Packets sent")                                                                                \
    X(packets_received, "Packets received")                                                                        \
    X(bad_crc, "Bad CRC")                                                                                          \
    X(unstripped_route, "Unstripped route")                                                                        \
    X(bad_type, "Unknown packet type")                                                                             \
    X(bad_length, "Bad packet length")                                                                             \
    X(refused_closed, "Refused, endpoint closed")                                                                  \
    X(refused_session, "Refused, bad session")                                                                     \
    X(refused_full, "Refused, event or receive ring full")                                                         \
    X(refused_grant, "Refused, bad grant")                                                                         \
    X(nacks_sent, "Nacks sent")                                                                                    \
    X(nacks_received, "Nacks received")                                                                            \
    X(bad_slots, "Bad request slots")                                                                              \
    X(events, "Events")                                                                                            \
    X(interrupts, "Interrupts")                                                                                    \
    X(pulls, "Pulls started")                                                                                      \
    X(pull_retries, "Pull requests repeated")                                                                      \
    X(frames_sent, "Frames sent")                                                                                  \
    X(frames_received, "Frames received")                                                                          \
    X(frames_present, "Frames already present")                                                                    \
    X(frames_unwanted, "Frames of no open pull")                                                                   \
    X(frames_bad, "Frames that do not fit their pull")                                                             \
    X(blocks, "Blocks completed")                                                                                  \
    X(dma_errors, "DMA errors")                                                                                    \
    X(dropped_held, "Dropped, endpoint on hold")

enum fw_counter {
#define FW_COUNTER_ENUM(name, label) FW_COUNTER_##name,
    FW_COUNTERS(FW_COUNTER_ENUM)
#undef FW_COUNTER_ENUM
    FW_COUNTER_COUNT
};

/*
 * SRAM map. Fixed, so that the windows can be mapped page by page and the image may use absolute addresses.
 * Image, tables and small buffers below FW_SRAM_ENDPOINT_WINDOWS.
 */
#define FW_SRAM_ENDPOINT_WINDOWS 0x100000u
#define FW_SRAM_BUFFERS          (FW_SRAM_ENDPOINT_WINDOWS + FW_ENDPOINTS * FW_ENDPOINT_WINDOW_SIZE)

#endif /* MYRI_ABI_FIRMWARE_H */
