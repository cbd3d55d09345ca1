/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The peer table: routes by index, and an index sorted by card for looking up who sent a packet. Quadratic in at most
 * FW_PEERS entries, for there is no memory here to sort in.
 */
#include "board/access.h"

static uint32_t card_of(const struct board_peer *peer) {
    return (uint32_t)peer->mac;
}

static bool peer_possible(struct board *board, const struct board_peer *peer, uint32_t index) {
    uint32_t hop;

    if (peer->mac >> 48 != 0) {
        board_log(board, "peer %u: MAC 0x%llx has more than 48 bits", index, (unsigned long long)peer->mac);
        return false;
    }
    if (card_of(peer) == 0) {
        board_log(board, "peer %u: the low 32 bits of MAC 0x%llx are 0", index, (unsigned long long)peer->mac);
        return false;
    }
    if (peer->route_length < 1 || peer->route_length > FW_ROUTE_MAX) {
        board_log(board, "peer %u: route of %u bytes: 1 to %u are possible", index, peer->route_length,
                  FW_ROUTE_MAX);
        return false;
    }
    for (hop = 0; hop < peer->route_length; hop++) {
        if (peer->route[hop] & LANAI_ROUTE_BIT)
            continue;
        board_log(board, "peer %u: route byte %u is 0x%02x, bit 7 must be set", index, hop, peer->route[hop]);
        return false;
    }
    return true;
}

static bool peers_possible(struct board *board, const struct board_peer *peers, uint32_t count) {
    uint32_t n, m;

    for (n = 0; n < count; n++) {
        if (peers[n].mac == 0)
            continue;
        if (!peer_possible(board, &peers[n], n))
            return false;
        for (m = 0; m < n; m++) {
            if (card_of(&peers[m]) != card_of(&peers[n]))
                continue;
            board_log(board, "peers %u and %u: MAC 0x%012llx and 0x%012llx are alike in their low 32 bits", m, n,
                      (unsigned long long)peers[m].mac, (unsigned long long)peers[n].mac);
            return false;
        }
    }
    return true;
}

/* Where a card stands already, or BOARD_PEER_NONE. */
static uint16_t find(const struct board *board, uint32_t card) {
    uint32_t i;

    for (i = 0; i < board->peer_count; i++)
        if (board->peer_card[i] == card)
            return (uint16_t)i;
    return BOARD_PEER_NONE;
}

static bool given(const uint16_t *index, uint32_t count, uint32_t wanted) {
    uint32_t n;

    for (n = 0; n < count; n++)
        if (index[n] == wanted)
            return true;
    return false;
}

/* An index that no card ever had and that is not given away yet. */
static bool unused(const struct board *board, const uint16_t *index, uint32_t count, uint32_t wanted) {
    return board->peer_card[wanted] == 0 && !given(index, count, wanted);
}

static int place(struct board *board, const struct board_peer *peers, uint32_t count, uint16_t *index) {
    uint32_t n, first = 0; /* indices below it are not unused */

    for (n = 0; n < count; n++)
        index[n] = peers[n].mac ? find(board, card_of(&peers[n])) : BOARD_PEER_NONE;
    for (n = 0; n < count; n++) {
        if (peers[n].mac == 0 || index[n] != BOARD_PEER_NONE)
            continue;
        if (unused(board, index, count, n)) {
            index[n] = (uint16_t)n;
            continue;
        }
        while (first < FW_PEERS && !unused(board, index, count, first))
            first++;
        if (first < FW_PEERS) {
            index[n] = (uint16_t)first++;
            continue;
        }
        board_log(board, "peer %u, MAC 0x%012llx: all %u indices have had other cards since the card was booted", n,
                  (unsigned long long)peers[n].mac, FW_PEERS);
        return -ENOSPC;
    }
    return 0;
}

/* The index that comes behind `last` in the order of cards; `last` = peer_count: the first. */
static uint32_t next_by_card(const struct board *board, uint32_t last) {
    const uint32_t *card = board->peer_card, count = board->peer_count;
    uint32_t i, best = count;

    for (i = 0; i < count; i++) {
        if (last < count && (card[i] < card[last] || (card[i] == card[last] && i <= last)))
            continue;
        if (best == count || card[i] < card[best])
            best = i;
    }
    return best;
}

static void write_table(struct board *board, const struct board_peer *peers, uint32_t count, const uint16_t *index) {
    uint32_t i, n, ordered = board->peer_count;
    struct fw_peer entry;

    for (i = 0; i < board->peer_count; i++) {
        memset(&entry, 0, sizeof(entry));
        entry.card = cpu_to_be32(board->peer_card[i]);
        ordered = next_by_card(board, ordered);
        entry.order = cpu_to_be16((uint16_t)ordered);
        for (n = 0; n < count && index[n] != i; n++)
            ;
        if (n < count) {
            entry.route_length = (uint8_t)peers[n].route_length;
            memcpy(entry.route, peers[n].route, peers[n].route_length);
        }
        board->ops->copy_to_sram(board->context, board->peers + i * (uint32_t)sizeof(entry), &entry, sizeof(entry));
    }
}

int board_peers_set(struct board *board, const struct board_peer *peers, uint32_t count, uint16_t *index) {
    uint32_t n;
    int status;

    if (count > FW_PEERS) {
        board_log(board, "%u peers: at most %u are possible", count, FW_PEERS);
        return -EINVAL;
    }
    if (!peers_possible(board, peers, count))
        return -EINVAL;
    status = place(board, peers, count, index);
    if (status)
        return status;
    for (n = 0; n < count; n++) {
        if (index[n] == BOARD_PEER_NONE)
            continue;
        board->peer_card[index[n]] = card_of(&peers[n]);
        if (board->peer_count <= index[n])
            board->peer_count = index[n] + 1u;
    }
    write_table(board, peers, count, index);
    return 0;
}
