// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts and numbers of boards. Names are looked up in the cards' peer tables, read again once when
// one is not found: a mapper may have found more hosts since.
#include <stdio.h>
#include <string.h>

#include "libmyri/call.h"
#include "libmyri/error.h"
#include "libmyri/library.h"

using namespace myri;

namespace {

bool same_name(const char* have, const char* want) {
    if (strcmp(have, want) == 0)
        return true;
    const size_t n = strlen(want); // a bare host is its board 0
    return !strchr(want, ':') && strncmp(have, want, n) == 0 && strcmp(have + n, ":0") == 0;
}

template <class Found> const myri_peer* find(Found found) {
    for (int again = 0; again < 2; ++again) {
        for (uint32_t b = 0; b < library.board_count; ++b) {
            const Board& board = library.boards[b];
            for (uint32_t i = 0; i < board.peer_count; ++i)
                if (board.peers[i].mac != 0 && found(board.peers[i]))
                    return &board.peers[i];
        }
        for (uint32_t b = 0; !again && b < library.board_count && !second_thread(); ++b)
            read_board(b);
    }
    return nullptr;
}

mx_return_t not_ready(const char* name) {
    return fail(nullptr, MX_NOT_INITIALIZED, name, "the library is not initialized");
}

class Locked {
public:
    Locked() { pthread_mutex_lock(&library.lock); }
    ~Locked() { pthread_mutex_unlock(&library.lock); }
};

} // namespace

extern "C" {

mx_return_t mx_hostname_to_nic_id(char* hostname, uint64_t* nic_id) {
    if (!library.ready)
        return not_ready("mx_hostname_to_nic_id");
    if (!hostname || !nic_id)
        return fail(nullptr, MX_BAD_HOSTNAME_ARGS, "mx_hostname_to_nic_id", "a null pointer");
    {
        Locked locked;
        if (const myri_peer* p =
                find([&](const myri_peer& peer) { return same_name(peer.name, hostname); })) {
            *nic_id = p->mac;
            return MX_SUCCESS;
        }
    }
    return fail(nullptr, MX_HOST_NOT_FOUND, "mx_hostname_to_nic_id", "no host \"%.80s\" in the network",
                hostname);
}

mx_return_t mx_nic_id_to_hostname(uint64_t nic_id, char* hostname) {
    if (!library.ready)
        return not_ready("mx_nic_id_to_hostname");
    if (!hostname)
        return fail(nullptr, MX_BAD_HOSTNAME_ARGS, "mx_nic_id_to_hostname", "a null pointer");
    {
        Locked locked;
        if (const myri_peer* p = find([&](const myri_peer& peer) { return peer.mac == nic_id; })) {
            snprintf(hostname, MX_MAX_HOSTNAME_LEN, "%s", p->name);
            return MX_SUCCESS;
        }
    }
    return fail(nullptr, MX_HOST_NOT_FOUND, "mx_nic_id_to_hostname", "no NIC %012llx in the network",
                static_cast<unsigned long long>(nic_id));
}

mx_return_t mx_board_number_to_nic_id(uint32_t board, uint64_t* nic_id) {
    if (!library.ready)
        return not_ready("mx_board_number_to_nic_id");
    if (board >= library.board_count || !nic_id)
        return fail(nullptr, MX_BOARD_UNKNOWN, "mx_board_number_to_nic_id", "board %u: there are %u", board,
                    library.board_count);
    *nic_id = library.boards[board].info.mac;
    return MX_SUCCESS;
}

mx_return_t mx_nic_id_to_board_number(uint64_t nic_id, uint32_t* board) {
    if (!library.ready)
        return not_ready("mx_nic_id_to_board_number");
    for (uint32_t b = 0; board && b < library.board_count; ++b)
        if (library.boards[b].info.mac == nic_id) {
            *board = b;
            return MX_SUCCESS;
        }
    return fail(nullptr, MX_BOARD_UNKNOWN, "mx_nic_id_to_board_number", "%012llx is no board of this host",
                static_cast<unsigned long long>(nic_id));
}

} // extern "C"
