/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Card logic that needs no operating system: reset, EEPROM strings, firmware load and handshake, endpoint table,
 * windows, peer table, commands. The kernel module and the emulator's driver compile these very files.
 *
 * Everything goes through struct board_ops. Nothing here locks, allocates or waits, except board_boot(), which
 * waits through ops->delay_ms; callers serialise all calls on one board. Commands to the firmware are started and
 * later found finished (board_command_finished, after an interrupt or by polling).
 * Functions answer 0 or a negative errno and log the cause, with value and allowed range.
 */
#ifndef MYRI_BOARD_BOARD_H
#define MYRI_BOARD_BOARD_H

#include "abi/firmware.h"
#include "abi/lanai.h"

#ifndef __KERNEL__
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct board_ops {
    /* Offsets in BAR0; values as numbers in the card's big-endian order (SRAM bytes 00 00 00 01 are 1). */
    uint32_t (*read32)(void *context, uint32_t offset);
    void (*write32)(void *context, uint32_t offset, uint32_t value);
    void (*copy_to_sram)(void *context, uint32_t offset, const void *bytes, uint32_t length);
    void (*zero_sram)(void *context, uint32_t offset, uint32_t length);
    void (*delay_ms)(void *context, uint32_t ms);
    void (*bus_master)(void *context, bool on);
    void (*log)(void *context, const char *text);
};

#define BOARD_STRING_MAX 32u
struct board_eeprom {
    uint64_t mac;
    uint32_t serial;
    char product_code[BOARD_STRING_MAX];
    char part_number[BOARD_STRING_MAX];
};

struct board {
    const struct board_ops *ops;
    void *context;
    struct board_eeprom eeprom;
    uint32_t sram_size;          /* as DMA_CONFIG says */
    uint32_t core_khz;
    /* SRAM offsets, read from the globals and checked once at boot */
    uint32_t endpoints, endpoint_windows, windows, peers, counters, counter_count;
    uint32_t idle_loop;
    uint32_t critical_end;       /* program text and constants end here */
    char firmware_version[48];
    uint32_t command_number;     /* of the command in progress or done last */
    uint32_t msi_number;         /* tells one setting of the MSI from the one before */
    /* Which card stands at which index of the peer table since boot, by the low half of its MAC; 0: none yet. */
    uint32_t peer_card[FW_PEERS];
    uint32_t peer_count;         /* indices up to the last one that is not 0 */
    bool command_busy;
};

/*
 * Resets the card, reads its EEPROM strings, loads `image`, starts it and hands it its parameters.
 * The order of steps is that of the original driver (docs/hardware-assumptions.md).
 * -EINVAL: not an image for this card, too large, or EEPROM strings missing; -ETIMEDOUT: the firmware did not reach
 * INIT or RUN; -EIO: parity error or firmware error; -EPROTO: another firmware ABI.
 */
int board_boot(struct board *board, const struct board_ops *ops, void *context, uint32_t core_khz,
               const void *image, uint32_t image_size);

/* Parses the strings that the board puts into the last LANAI_EEPROM_SIZE bytes of SRAM. -EINVAL: see board_boot. */
int board_parse_eeprom(const char *bytes, uint32_t length, struct board_eeprom *eeprom);

/* Leaves the card with its processor frozen, dropping packets by itself. */
void board_park(struct board *board);

/* Acknowledges an interrupt (before looking for its cause). True if REQ_ACK_0 was set. */
bool board_interrupt_acknowledge(struct board *board);

/* One firmware command at a time: -EBUSY while one is in progress. */
int board_command_start(struct board *board, uint32_t opcode, const uint32_t *arg, unsigned args);
/* True once it is done; then *result is 0 or a negative errno and *value its result1. */
bool board_command_finished(struct board *board, int *result, uint32_t *value);

struct board_rings {
    uint64_t event_ring, receive_ring, send_ring; /* bus addresses, 4 KiB aligned, none across 4 GiB */
    uint32_t event_entries, receive_size, send_size;
    uint32_t session;
};
/* Writes the endpoint's entry and clears its SRAM window and windows; FW_COMMAND_OPEN must follow. -EINVAL: range. */
int board_endpoint_set(struct board *board, uint32_t endpoint, const struct board_rings *rings);
/* Marks it closed; FW_COMMAND_CLOSE must follow, and only after it may its memory go. */
int board_endpoint_clear(struct board *board, uint32_t endpoint);
uint32_t board_endpoint_wake_count(struct board *board, uint32_t endpoint);

/* Sets a window; usable at once. Clearing (length 0) needs FW_COMMAND_RETIRE_WINDOW before its memory may go. */
int board_window_set(struct board *board, uint32_t endpoint, uint32_t window, uint32_t generation, uint64_t list,
                     uint32_t length, bool writable);
int board_window_clear(struct board *board, uint32_t endpoint, uint32_t window);

struct board_peer {
    uint64_t mac;
    uint32_t route_length;
    uint8_t route[FW_ROUTE_MAX];
};
/*
 * Makes these the card's peers; FW_COMMAND_PEERS with board->peer_count must follow. An index of the table never changes
 * its card until the card is booted anew: a known card keeps its index, one that is in the list no more leaves it empty,
 * and a new one gets the index of its place in the list if no card ever had it, else the first such index. index[n]
 * tells where peers[n] stands. An entry with MAC 0 is passed over, its index[n] is BOARD_PEER_NONE: thus a list in the
 * order of the table, with its gaps, gives the same table after a restart.
 * Changing nothing but index[]: -EINVAL: more than FW_PEERS, a route without bit 7 in each byte or of a bad length, two
 * MAC addresses alike in their low 32 bits, or one with those 0; -ENOSPC: no index is left for a new card.
 */
#define BOARD_PEER_NONE 0xffffu
int board_peers_set(struct board *board, const struct board_peer *peers, uint32_t count, uint16_t *index);

void board_counters_read(struct board *board, uint32_t *values, uint32_t count);
void board_counters_clear(struct board *board);
uint32_t board_heartbeat(struct board *board);

/*
 * MSI instead of REQ_ACK_0: the firmware itself writes `data` to `address`. After board_boot, and again whenever the
 * system has moved the interrupt; off after each boot. An interrupt raised during the change may have gone the old way
 * or set REQ_ACK_0, so look for its causes once afterwards.
 */
void board_msi_set(struct board *board, bool enabled, uint64_t address, uint32_t data);

/*
 * Why the firmware has stopped by itself, or NULL. It raises the interrupt when it stops; after a parity error, with
 * MSI, it does not (nothing is transferred then): board_watch() finds it.
 */
const char *board_stopped(struct board *board);

/*
 * What a watchdog asks, at least each FW_HEARTBEAT_MS * 5, with a struct that began as zeros. 0: alive or not yet
 * known; -ENODEV: the card does not answer (all ones); -EBADMSG: SRAM parity error; -EIO: the firmware has stopped and
 * said why; -ETIMEDOUT: its heartbeat stands still for `limit_ms` of the times `now_ms` given here; -EINVAL: limit_ms
 * below BOARD_WATCH_LIMIT_MIN_MS.
 */
#define BOARD_WATCH_LIMIT_MIN_MS 2000u
struct board_watchdog {
    uint32_t heartbeat;
    uint64_t since_ms;
    bool begun;
};
int board_watch(struct board *board, struct board_watchdog *watch, uint64_t now_ms, uint32_t limit_ms);

/*
 * After a parity error: clears it as the original driver did and tells whether only data was hit (0: load the
 * firmware anew and go on) or program text too, or the firmware does not answer (-EIO: the card is not to be
 * trusted), or the card does not (-ENODEV). Waits LANAI_RESET_SETTLE_MS through ops->delay_ms.
 */
int board_parity_judge(struct board *board);

/*
 * Marks the endpoint as existing while its process has not come back: packets to it are dropped without an answer.
 * Restart: board_boot anew, board_msi_set, board_endpoint_hold for each endpoint that is to live on, then the peer
 * table (before it no packet is answered), and for each endpoint whose process comes back board_endpoint_set,
 * its windows, FW_COMMAND_OPEN. An endpoint on hold is closed like an open one.
 */
int board_endpoint_hold(struct board *board, uint32_t endpoint);

#ifdef __cplusplus
}
#endif

#endif /* MYRI_BOARD_BOARD_H */
