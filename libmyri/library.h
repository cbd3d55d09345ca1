// SPDX-License-Identifier: BSD-3-Clause
// What the process has once: the driver connection, the boards, the table of endpoints.
//
// Concepts: between mx_init and mx_finalize `ready` is set. The table's slots are reused with a new
// generation; an Endpoint's memory is never given back, so that a stale handle is recognised and not followed
// into freed memory. A forked child finds the library uninitialised.
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "abi/driver.h"
#include "libmyri/driver.h"
#include "libmyri/environment.h"
#include "myriexpress.h"

namespace myri {

class Endpoint;

struct Board {
    myri_board_info info;
    myri_peer* peers; // peer_count entries, by index in the card's table; MAC 0: nobody stands there
    uint32_t peer_count;
    uint16_t by_card[2048]; // open addressing: peer index + 1, by the low 32 bits of its MAC
};

constexpr unsigned endpoint_slots = MYRI_BOARDS_MAX * 32;

struct Library {
    pthread_mutex_t lock =
        PTHREAD_MUTEX_INITIALIZER; // protects everything here that is not fixed while `ready`
    bool ready = false;
    Options options = {};
    Driver* driver = nullptr;
    uint32_t board_count = 0;
    Board boards[MYRI_BOARDS_MAX] = {};
    Endpoint* endpoints[endpoint_slots] = {}; // allocated once, then reused
    uint8_t generations[endpoint_slots] = {};
    bool thread_known = false; // virtual time: the one thread that may be inside
    pthread_t thread = {};
};

extern Library library;

constexpr uint32_t no_peer = 0xffffffff;

// By the low 32 bits of a MAC, by the whole MAC. no_peer if unknown.
uint32_t find_peer_by_card(const Board& board, uint32_t card);
uint32_t find_peer_by_mac(const Board& board, uint64_t mac);

// Reads board facts and the peer table again. 0 or a negative errno.
int read_board(uint32_t board);

// For tests: mx_init uses this connection instead of looking for one. nullptr: as usual.
void use_driver(Driver* driver);

// The code for a driver's refusal.
mx_return_t code_of_errno(int error);

} // namespace myri
