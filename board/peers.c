/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The peer table: routes by index, and an index sorted by card for looking up who sent a packet. */
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

/* Insertion sort: 512 entries at most, and neither recursion nor memory of its own. */
static void sort_by_card(const struct board_peer *peers, uint32_t count, uint16_t *order) {
    uint32_t n, at;

    for (n = 0; n < count; n++) {
        for (at = n; at > 0 && card_of(&peers[order[at - 1]]) > card_of(&peers[n]); at--)
            order[at] = order[at - 1];
        order[at] = (uint16_t)n;
    }
}

static bool cards_differ(struct board *board, const struct board_peer *peers, uint32_t count,
                         const uint16_t *order) {
    uint32_t n;

    for (n = 1; n < count; n++) {
        const struct board_peer *a = &peers[order[n - 1]], *b = &peers[order[n]];

        if (card_of(a) != card_of(b))
            continue;
        board_log(board, "peers %u and %u: MAC 0x%012llx and 0x%012llx are alike in their low 32 bits",
                  order[n - 1], order[n], (unsigned long long)a->mac, (unsigned long long)b->mac);
        return false;
    }
    return true;
}

int board_peers_set(struct board *board, const struct board_peer *peers, uint32_t count) {
    uint16_t order[FW_PEERS];
    struct fw_peer entry;
    uint32_t n;

    if (count > FW_PEERS) {
        board_log(board, "%u peers: at most %u are possible", count, FW_PEERS);
        return -EINVAL;
    }
    for (n = 0; n < count; n++)
        if (!peer_possible(board, &peers[n], n))
            return -EINVAL;
    sort_by_card(peers, count, order);
    if (!cards_differ(board, peers, count, order))
        return -EINVAL;
    for (n = 0; n < count; n++) {
        memset(&entry, 0, sizeof(entry));
        entry.card = cpu_to_be32(card_of(&peers[n]));
        entry.route_length = (uint8_t)peers[n].route_length;
        memcpy(entry.route, peers[n].route, peers[n].route_length);
        entry.order = cpu_to_be16(order[n]);
        board->ops->copy_to_sram(board->context, board->peers + n * (uint32_t)sizeof(entry), &entry,
                                 sizeof(entry));
    }
    if (count < FW_PEERS)
        board->ops->zero_sram(board->context, board->peers + count * (uint32_t)sizeof(entry),
                              (FW_PEERS - count) * (uint32_t)sizeof(entry));
    return 0;
}
