/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The endpoint table: where a process's rings are and which session may reach it. */
#include "board/access.h"

#define EVENT_ENTRIES_MIN 64u
#define EVENT_ENTRIES_MAX 16384u
#define RING_BYTES_MIN    (16u << 10)
#define RING_BYTES_MAX    (16u << 20)
#define RING_ALIGN        4096u

#define ENTRY(board, endpoint, field)                                                                        \
    ((board)->endpoints + (endpoint) * (uint32_t)sizeof(struct fw_endpoint) +                                \
     (uint32_t)offsetof(struct fw_endpoint, field))

int board_endpoint_check(struct board *board, uint32_t endpoint) {
    if (endpoint < FW_ENDPOINTS)
        return 0;
    board_log(board, "endpoint %u: 0 to %u exist", endpoint, FW_ENDPOINTS - 1);
    return -EINVAL;
}

static bool size_possible(struct board *board, const char *what, uint32_t size, uint32_t least,
                          uint32_t most) {
    if (size >= least && size <= most && (size & (size - 1)) == 0)
        return true;
    board_log(board, "%s %u: a power of two from %u to %u is possible", what, size, least, most);
    return false;
}

/* The firmware counts a ring's places in the low half of its address only. */
static bool address_possible(struct board *board, const char *what, uint64_t address, uint32_t size) {
    if (address % RING_ALIGN == 0 && address >> 32 == (address + size - 1) >> 32)
        return true;
    board_log(board, "%s of %u bytes at bus address 0x%llx: must be a multiple of %u and not cross 4 GiB", what, size,
              (unsigned long long)address, RING_ALIGN);
    return false;
}

static bool rings_possible(struct board *board, const struct board_rings *r) {
    return size_possible(board, "event ring entries", r->event_entries, EVENT_ENTRIES_MIN,
                         EVENT_ENTRIES_MAX) &&
           size_possible(board, "receive ring bytes", r->receive_size, RING_BYTES_MIN, RING_BYTES_MAX) &&
           size_possible(board, "send ring bytes", r->send_size, RING_BYTES_MIN, RING_BYTES_MAX) &&
           address_possible(board, "event ring", r->event_ring, r->event_entries * FW_EVENT_SIZE) &&
           address_possible(board, "receive ring", r->receive_ring, r->receive_size) &&
           address_possible(board, "send ring", r->send_ring, r->send_size);
}

int board_endpoint_set(struct board *board, uint32_t endpoint, const struct board_rings *rings) {
    const uint32_t windows_size = FW_WINDOWS * (uint32_t)sizeof(struct fw_window);
    int status = board_endpoint_check(board, endpoint);

    if (status)
        return status;
    if (!rings_possible(board, rings))
        return -EINVAL;
    /* Nothing of the last owner may be left: neither slots nor grants nor windows. */
    board->ops->zero_sram(board->context, board->endpoint_windows + endpoint * FW_ENDPOINT_WINDOW_SIZE,
                          FW_ENDPOINT_WINDOW_SIZE);
    board_write(board,
                board->endpoint_windows + endpoint * FW_ENDPOINT_WINDOW_SIZE +
                    (uint32_t)offsetof(struct fw_endpoint_window, wake_after_us),
                FW_WAKE_NEVER);
    board->ops->zero_sram(board->context, board->windows + endpoint * windows_size, windows_size);
    /* wake_count stays: it only grows, so that no wake-up is taken for one of the last owner's. */
    board_write(board, ENTRY(board, endpoint, session), rings->session);
    board_write64(board, ENTRY(board, endpoint, event_ring), rings->event_ring);
    board_write64(board, ENTRY(board, endpoint, receive_ring), rings->receive_ring);
    board_write64(board, ENTRY(board, endpoint, send_ring), rings->send_ring);
    board_write(board, ENTRY(board, endpoint, event_entries), rings->event_entries);
    board_write(board, ENTRY(board, endpoint, receive_size), rings->receive_size);
    board_write(board, ENTRY(board, endpoint, send_size), rings->send_size);
    board_write(board, ENTRY(board, endpoint, state), FW_ENDPOINT_OPEN);
    return 0;
}

int board_endpoint_clear(struct board *board, uint32_t endpoint) {
    const int status = board_endpoint_check(board, endpoint);

    if (!status)
        board_write(board, ENTRY(board, endpoint, state), FW_ENDPOINT_CLOSED);
    return status;
}

int board_endpoint_hold(struct board *board, uint32_t endpoint) {
    const int status = board_endpoint_check(board, endpoint);

    if (!status)
        board_write(board, ENTRY(board, endpoint, state), FW_ENDPOINT_HELD);
    return status;
}

uint32_t board_endpoint_wake_count(struct board *board, uint32_t endpoint) {
    return board_endpoint_check(board, endpoint) ? 0 : board_read(board, ENTRY(board, endpoint, wake_count));
}
