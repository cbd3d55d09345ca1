/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The contract between library and driver. One set of requests and structures serves both drivers:
 *
 *  /dev/myriN (kernel module)  ioctl(fd, MYRI_IOCTL(request, type), &structure); `board` must be N (ENODEV)
 *  the emulator's socket       SOCK_SEQPACKET; a myri_frame, then the structure, and what follows it
 *
 * Values are in host byte order. A request answers 0 or a negative errno. Structures are input and output at once;
 * the field comments say which. Ring memory is one mapping per endpoint: event ring, receive ring, send ring and
 * a host page one after another, each aligned to 4 KiB; a bounce area behind them where the driver needs one.
 *
 * On the kernel's device an open file holds at most one endpoint, and only the address space that opened it may use
 * it (EPERM for others). The endpoint ends with MYRI_ENDPOINT_CLOSE, with its file, or with that address space.
 */
#ifndef MYRI_ABI_DRIVER_H
#define MYRI_ABI_DRIVER_H

#include "abi/types.h"

#define MYRI_DRIVER_ABI 2u

#define MYRI_ANY          0xffffffffu
#define MYRI_BOARDS_MAX   4u
#define MYRI_HOSTNAME_MAX 80u
#define MYRI_STRING_MAX   32u

enum myri_request {
    MYRI_ATTACH = 1,         /* struct myri_attach; on the socket the first request */
    MYRI_BOARD_INFO = 2,     /* struct myri_board_info */
    MYRI_PEERS = 3,          /* struct myri_peers */
    MYRI_COUNTERS = 4,       /* struct myri_counters */
    MYRI_ENDPOINT_OPEN = 5,  /* struct myri_endpoint_open; socket: reply carries descriptors */
    MYRI_ENDPOINT_CLOSE = 6, /* struct myri_endpoint_ref */
    MYRI_REGISTER = 7,       /* struct myri_register */
    MYRI_UNREGISTER = 8,     /* struct myri_unregister: answers when the card touches the memory no more */
    MYRI_WAIT = 9,           /* struct myri_wait; not in virtual time */
    MYRI_WAKE = 10,          /* struct myri_endpoint_ref; free-running emulator only */
    MYRI_DMABENCH = 11,      /* struct myri_dmabench */
    MYRI_SET_PEERS = 12,     /* struct myri_peers, whole table; privileged */
    MYRI_CLOCK = 13,         /* struct myri_clock; virtual time only */
    MYRI_ENDPOINT_RESUME = 14, /* struct myri_endpoint_ref: after a restart of the card; else EINVAL */
    MYRI_INJECT = 15,        /* struct myri_inject; emulator only, for the user who started it */
};

/* Needs <sys/ioctl.h> or <linux/ioctl.h>. */
#define MYRI_IOCTL(request, type) _IOWR(0xb9, request, type)

/* ---- socket framing ------------------------------------------------------------------------------------- */

struct myri_frame {
    uint32_t request;        /* enum myri_request; echoed in the reply */
    int32_t status;          /* reply: 0 or -errno; request: 0 */
    uint32_t length;         /* bytes that follow */
    uint32_t reserved;       /* 0 */
    uint64_t now;            /* virtual time: the process's clock (in) and when it goes on (out), picoseconds */
    uint64_t safe_until;     /* reply, virtual time: nothing this process can see changes before this time */
};
MYRI_ASSERT_SIZE(struct myri_frame, 32);
#define MYRI_FRAME_MAX 65536u /* frame and structure; a longer or shorter one than it says is refused (EBADMSG) */

enum myri_time { MYRI_TIME_REAL = 0, MYRI_TIME_VIRTUAL = 1, MYRI_TIME_FREE = 2 };

/* What work costs the CPU in virtual time, in picoseconds. All 0 elsewhere. */
struct myri_costs {
    uint64_t call_send;      /* posting a send, beside copies, checksum and stores */
    uint64_t call_receive;   /* completing a receive, likewise */
    uint64_t poll;           /* one empty poll */
    uint64_t store;          /* one write-combined burst of up to 64 bytes, with its barrier */
    uint64_t copy_byte;      /* memcpy */
    uint64_t crc_byte;       /* CRC-32C */
    uint64_t own_effect;     /* shortest time from an own store to a change in an own ring */
    uint64_t call_driver;    /* entering and leaving the driver */
};

/*
 * Socket: descriptors sent with the request are a pidfd of the caller and its /proc/self/mem (optional: without one that
 * can be used its endpoints have a bounce area).
 * Device: at any time and for any process, changes nothing. It answers `abi`, `host` (uname -n), `boards` 1, `time`
 * REAL and a random `seed`, and 0 in the rest.
 * EPROTO: `abi` differs; the driver's own is in the answer. ENOTTY from a device: the structure itself differs.
 */
struct myri_attach {
    uint32_t abi;            /* in, out: MYRI_DRIVER_ABI of each side; always the first word */
    uint32_t has_memory;     /* in: 1 if the /proc/self/mem descriptor is there */
    char host[MYRI_HOSTNAME_MAX]; /* socket, in: name of the emulated host; empty: ENOENT with the list in `hosts` */
    uint32_t boards;         /* out */
    uint32_t time;           /* out: enum myri_time */
    uint64_t seed;           /* out: for the library's own choices */
    struct myri_costs costs; /* out */
    uint32_t clock_bytes;    /* out, virtual time: size of the clock page, whose descriptor comes along */
    uint32_t reserved;
    char hosts[256];         /* out: names, separated by blanks */
};

/* ---- boards --------------------------------------------------------------------------------------------- */

struct myri_board_info {
    uint32_t board;          /* in */
    uint32_t link_up;        /* the rest: out */
    uint64_t mac;
    uint32_t serial;
    uint32_t ports;
    uint32_t lanai_khz;
    uint32_t pci_khz;
    uint32_t pci_bits;
    uint32_t sram_bytes;
    uint32_t pci_revision;
    uint32_t endpoints;      /* how many exist */
    uint32_t endpoints_open;
    uint32_t peer_count;
    uint32_t dead;           /* 0, or why the card has failed for good: MYRI_DEAD_REASONS */
    int32_t numa_node;       /* -1 unknown */
    char hostname[MYRI_HOSTNAME_MAX]; /* of this machine, without the board */
    char product_code[MYRI_STRING_MAX];
    char part_number[MYRI_STRING_MAX];
    char firmware[48];
};

/* X(errno, text). Needs <errno.h>. */
#define MYRI_DEAD_REASONS(X)                                 \
    X(ETIMEDOUT, "its firmware stopped")                     \
    X(EBADMSG, "its memory has a parity error")              \
    X(EIO, "its firmware stopped or its memory failed")      \
    X(ENODEV, "it was removed")

struct myri_peer {
    uint64_t mac;
    char name[MYRI_HOSTNAME_MAX]; /* host:board */
    uint32_t route_length;
    uint8_t route[12];
};
MYRI_ASSERT_SIZE(struct myri_peer, 104);
#define MYRI_PEERS_AT_ONCE 32u

/*
 * MYRI_PEERS answers by index, and an entry with MAC 0 stands for an index where nobody stands: an index never changes
 * its card while the card runs (board_peers_set()). MYRI_SET_PEERS gives a list, whose order means nothing.
 */
struct myri_peers {
    uint32_t board;          /* in */
    uint32_t first;          /* in: index of the first one wanted (SET_PEERS: of the first one given) */
    uint32_t count;          /* MYRI_PEERS: out, entries given; MYRI_SET_PEERS: in */
    uint32_t total;          /* out: indices in use; SET_PEERS: in, the table takes effect with its last part */
    struct myri_peer peer[MYRI_PEERS_AT_ONCE];
};

#define MYRI_COUNTERS_MAX 128u
struct myri_counters {
    uint32_t board;          /* in */
    uint32_t clear;          /* in: 1 sets all to 0 after reading */
    uint32_t count;          /* out: firmware's counters in the order of FW_COUNTERS */
    uint32_t reserved;
    uint32_t value[MYRI_COUNTERS_MAX];
};

/* ---- endpoints ------------------------------------------------------------------------------------------ */

#define MYRI_WINDOWS_MAX 64u /* registered windows of an endpoint */

/*
 * The host page: what the driver has to tell, in memory, so that nobody must ask. The driver writes, the library
 * reads it as often as it polls its event ring.
 */
struct myri_host_page {
    uint32_t card_asleep;    /* free running: publish, fence, and if this is set ask MYRI_WAKE; 0 on real cards */
    uint32_t dead;           /* the card has failed for good: EIO (stall, parity) or ENODEV (removed); 0 */
    /*
     * Grows when the card has been restarted. The endpoint keeps its id, session, rings and windows, but the card
     * knows nothing of it and drops its packets unanswered until MYRI_ENDPOINT_RESUME.
     */
    uint32_t restarts;
    uint32_t reserved;
    /*
     * Bit n % 32 of word n / 32: the memory behind window n was unmapped or remapped since it was registered. What
     * is under way stays harmless, but the window must not be used for another message: unregister it.
     * Set before the call that unmapped it returns; cleared by MYRI_REGISTER. Always 0 in the emulator, whose
     * windows name addresses and not pages.
     */
    uint32_t stale[MYRI_WINDOWS_MAX / 32];
};

/*
 * Opens an endpoint. On the kernel's device the mappings are at mmap offsets MYRI_MMAP_WINDOW (write-combined
 * SRAM window, FW_ENDPOINT_WINDOW_SIZE) and MYRI_MMAP_RINGS + event_offset, + receive_offset, + send_offset,
 * + page_offset, + bounce_offset, each as long as that part is: one mmap for each. Mappings are shared, are not
 * inherited by fork and cannot be grown or split. The socket's reply carries a descriptor for all the rings and, when
 * free running, one for the SRAM window (`window_offset` is its place in it).
 * EBUSY: in use, or none is free. ENODEV: no such board. EINVAL: id or ring size out of range.
 */
struct myri_endpoint_open {
    uint32_t board;          /* in */
    uint32_t endpoint;       /* in: id or MYRI_ANY; out: id */
    uint32_t event_entries;  /* in: 0 for the default, else a power of two 64..16384; out */
    uint32_t receive_bytes;  /* in: 0 for the default, else a power of two 16 KiB..16 MiB; out */
    uint32_t send_bytes;     /* likewise */
    uint32_t session;        /* out */
    uint64_t window_offset;  /* out */
    uint64_t ring_bytes;     /* out: of the whole mapping */
    uint32_t event_offset;   /* out: within the mapping */
    uint32_t receive_offset;
    uint32_t send_offset;
    uint32_t page_offset;
    uint32_t bounce_bytes;   /* out: 0, or the process's own memory cannot be registered here: data goes through this */
    uint32_t bounce_offset;
};
#define MYRI_BOUNCE_MIN 0xc0000u /* bytes: a block of 32 KiB for each grant and each pull of an endpoint */
#define MYRI_MMAP_WINDOW 0x00000000u
#define MYRI_MMAP_RINGS  0x10000000u

struct myri_endpoint_ref {
    uint32_t board;
    uint32_t endpoint;
};

/*
 * Registers memory as a window: up to 256 segments make one byte stream of at most 8 MiB.
 * EFAULT: not readable (and writable, if asked) memory. ENOSPC: no window free. E2BIG: more than 16 pieces in one
 * block of 32 KiB (copy such memory together first), or too long. ENOMEM: RLIMIT_MEMLOCK. EOPNOTSUPP: the endpoint
 * has a bounce area and this is not in it.
 */
struct myri_segment {
    uint64_t address;
    uint64_t length;
};
#define MYRI_SEGMENTS_MAX 256u
struct myri_register {
    uint32_t board;
    uint32_t endpoint;
    uint32_t flags;          /* in: MYRI_REGISTER_WRITABLE, MYRI_REGISTER_BOUNCE */
    uint32_t count;          /* in: segments */
    uint32_t window;         /* out */
    uint32_t generation;     /* out: 1..65535 */
    struct myri_segment segment[MYRI_SEGMENTS_MAX]; /* in; the socket takes only `count` of them */
};

#define MYRI_REGISTER_WRITABLE 1u /* the card will write */
#define MYRI_REGISTER_BOUNCE   2u /* segments' addresses count from the beginning of the bounce area */

struct myri_unregister {
    uint32_t board;
    uint32_t endpoint;
    uint32_t window;
    uint32_t generation;
};

/*
 * Sleeps until an event beyond `events_seen` is in the ring, the host page has news, or the timeout; not at all if the
 * last of the seen ones is no longer there, since another thread has resumed the endpoint. 0, ETIMEDOUT, EINTR, ENODEV.
 * It looks at the ring after whatever the process stored before is in the card: who lowers `wake_after_us` first and
 * then waits misses nothing. A timeout of 0 only looks, and on the kernel's device makes poll() report POLLIN for an
 * event beyond `events_seen` from then on. poll() reports POLLIN for news in the host page, too, and POLLERR when the
 * card is dead or the endpoint has ended.
 */
struct myri_wait {
    uint32_t board;
    uint32_t endpoint;
    uint32_t events_seen;
    uint32_t timeout_us;     /* MYRI_ANY: for ever */
};

struct myri_dmabench {
    uint32_t board;
    uint32_t direction;      /* in: enum fw_dmabench */
    uint32_t bytes;          /* in: of one transfer, 1..FW_DMABENCH_MAX */
    uint32_t count;          /* in: transfers, 1..65535 */
    uint64_t cycles;         /* out: processor cycles it took */
    uint32_t core_khz;       /* out */
    uint32_t reserved;
};

/* Makes a fault happen now. EOPNOTSUPP: not one that happens to a card or a cable; EPERM. */
struct myri_inject {
    uint32_t board;
    uint32_t fault;          /* enum myri_fault of abi/faults.h, of scope CARD or CABLE */
    uint32_t value;          /* CABLE: 1 begins it, 0 ends it */
    uint32_t reserved;
};

/* ---- virtual time --------------------------------------------------------------------------------------- */

/*
 * A process runs alone from the reply to one request until it sends the next. Its stores into SRAM windows since
 * then stand in the clock page as records; they are applied at their times when it hands over.
 */
enum myri_clock_kind {
    MYRI_CLOCK_YIELD = 1,    /* go on when everybody else has reached `now` */
    MYRI_CLOCK_PARK = 2,     /* go on when a ring has changed, or at `until` */
};
struct myri_clock {
    uint32_t kind;           /* in: enum myri_clock_kind */
    uint32_t reserved;
    uint64_t until;          /* in, PARK: latest time; ~0 for never */
    uint64_t poll_period;    /* in, PARK: resume at `now` plus a multiple of this; 0 for at once */
};

struct myri_store {
    uint64_t when;           /* picoseconds */
    uint32_t endpoint;       /* board << 16 | endpoint */
    uint32_t offset;         /* in the endpoint's SRAM window; a multiple of 8 */
    uint32_t length;         /* bytes that follow, a multiple of 8; 0: a barrier */
    uint32_t reserved;
};
MYRI_ASSERT_SIZE(struct myri_store, 24);

struct myri_clock_page {
    uint32_t used;           /* bytes of records; the emulator sets it to 0 when it has taken them */
    uint32_t reserved;
    uint8_t records[65536 - 8];
};
MYRI_ASSERT_SIZE(struct myri_clock_page, 65536);

#endif /* MYRI_ABI_DRIVER_H */
