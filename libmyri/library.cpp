// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/library.h"
#include "libmyri/verdicts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libmyri/call.h"
#include "libmyri/clock.h"
#include "libmyri/endpoint.h"
#include "libmyri/error.h"
#include "libmyri/find_driver.h"

namespace myri {

constinit Library library;

namespace {

Driver* given_driver = nullptr;

void warn(const char* text) {
    fprintf(stderr, "MX:warning: %s\n", text);
}

// The child of a fork has none of this: no rings (MADV_DONTFORK), no connection. It may call mx_init itself.
void after_fork_in_child() {
    if (library.driver && library.driver != given_driver)
        library.driver->shut(true);
    for (Endpoint* e : library.endpoints)
        if (e)
            e->magic = 0;
    memset(library.endpoints, 0,
           sizeof library.endpoints); // their locks may have been held: leave them alone
    library.driver = nullptr;
    library.board_count = 0;
    library.ready = false;
    library.thread_known = false;
    pthread_mutex_init(&library.lock, nullptr);
    seam.use(nullptr);
}

void forget_boards() {
    for (Board& b : library.boards) {
        free(b.peers);
        b.peers = nullptr;
        b.peer_count = 0;
    }
    library.board_count = 0;
}

void start(Refusal& refusal) {
    static bool fork_handler = false;
    if (!fork_handler) {
        pthread_atfork(nullptr, nullptr, after_fork_in_child);
        fork_handler = true;
    }
    library.options = read_environment(warn);
    verdicts_open(library.options.trace_verdicts, library.options.host, warn);
    set_default_fatal(library.options.errors_are_fatal);
    library.driver = given_driver ? given_driver : find_driver(library.options, refusal);
    if (!library.driver)
        return;
    seam.use(library.driver);
    library.thread_known = false;
    const uint32_t boards = library.driver->attached.boards;
    library.board_count = boards < MYRI_BOARDS_MAX ? boards : MYRI_BOARDS_MAX;
    for (uint32_t b = 0; b < library.board_count; ++b) {
        const int status = read_board(b);
        if (status == 0)
            continue;
        refusal.code = code_of_errno(status);
        snprintf(refusal.text, sizeof refusal.text, "board %u cannot be read: %s", b, strerror(-status));
        break;
    }
    if (library.board_count == 0) {
        refusal.code = MX_NO_DEV;
        snprintf(refusal.text, sizeof refusal.text, "the host %s has no board",
                 library.driver->attached.host);
    }
    if (refusal.code == MX_SUCCESS) {
        library.ready = true;
        return;
    }
    forget_boards();
    seam.use(nullptr);
    if (library.driver != given_driver)
        library.driver->shut(false);
    library.driver = nullptr;
}

constexpr unsigned hash_size = sizeof(Board::by_card) / sizeof(uint16_t);
unsigned hash_of(uint32_t card) {
    return (card * 0x9e3779b1u) >> 21;
}
static_assert(hash_size == 1u << 11, "hash_of gives 11 bits");

} // namespace

mx_return_t code_of_errno(int error) {
    switch (-error) {
    case EACCES:
    case EPERM:
        return MX_NO_PERM;
    case ENODEV:
    case ENOENT:
        return MX_NO_DEV;
    case EHOSTUNREACH:
        return MX_NIC_NOT_FOUND;
    case ENXIO:
        return MX_NO_DRIVER;
    case EPROTO:
        return MX_BAD_KERNEL_VERSION;
    case EBUSY:
        return MX_BUSY;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE:
        return MX_NO_RESOURCES;
    case EINVAL:
        return MX_BAD_PARAM_VAL;
    case EIO:
        return MX_NIC_DEAD;
    default:
        return MX_FAILURE;
    }
}

void use_driver(Driver* driver) {
    given_driver = driver;
}

uint32_t find_peer_by_card(const Board& board, uint32_t card) {
    for (unsigned h = hash_of(card), tries = 0; tries < hash_size; h = (h + 1) % hash_size, ++tries) {
        const uint16_t entry = board.by_card[h];
        if (entry == 0)
            return no_peer;
        if (static_cast<uint32_t>(board.peers[entry - 1].mac) == card)
            return entry - 1u;
    }
    return no_peer;
}

uint32_t find_peer_by_mac(const Board& board, uint64_t mac) {
    const uint32_t peer = find_peer_by_card(board, static_cast<uint32_t>(mac));
    return peer != no_peer && board.peers[peer].mac == mac ? peer : no_peer;
}

int read_board(uint32_t b) {
    Board& board = library.boards[b];
    memset(&board.info, 0, sizeof board.info);
    board.info.board = b;
    int status = seam.request(MYRI_BOARD_INFO, &board.info, sizeof board.info);
    if (status < 0)
        return status;
    // Kept at its full size: readers may hold on to entries while a longer table is read.
    if (!board.peers)
        board.peers = static_cast<myri_peer*>(calloc(512, sizeof(myri_peer)));
    if (!board.peers)
        return -ENOMEM;
    uint32_t count = 0;
    for (;;) {
        myri_peers part = {};
        part.board = b;
        part.first = count;
        status = seam.request(MYRI_PEERS, &part, sizeof part);
        if (status < 0)
            return status;
        if (part.count == 0 || part.count > MYRI_PEERS_AT_ONCE || count + part.count > 512)
            break;
        memcpy(board.peers + count, part.peer, part.count * sizeof(myri_peer));
        count += part.count;
        if (count >= part.total)
            break;
    }
    memset(board.by_card, 0, sizeof board.by_card);
    for (uint32_t i = 0; i < count; ++i) {
        board.peers[i].name[MYRI_HOSTNAME_MAX - 1] = 0;
        if (board.peers[i].mac == 0)
            continue; // nobody stands at this index
        unsigned h = hash_of(static_cast<uint32_t>(board.peers[i].mac));
        while (board.by_card[h])
            h = (h + 1) % hash_size;
        board.by_card[h] = static_cast<uint16_t>(i + 1);
    }
    board.peer_count = count;
    return 0;
}

} // namespace myri

using namespace myri;

extern "C" mx_return_t mx__init_api(int api) {
    pthread_mutex_lock(&library.lock);
    if (library.ready) {
        pthread_mutex_unlock(&library.lock);
        return MX_ALREADY_INITIALIZED; // a code, not an error: the handler is not called
    }
    Refusal refusal;
    if (api >> 8 != MX_API >> 8) {
        refusal.code = MX_BAD_LIB_VERSION;
        snprintf(refusal.text, sizeof refusal.text, "the program wants interface 0x%x, this library has 0x%x",
                 static_cast<unsigned>(api), MX_API);
    } else {
        start(refusal);
    }
    pthread_mutex_unlock(&library.lock);
    if (refusal.code != MX_SUCCESS)
        return fail(nullptr, refusal.code, "mx_init", "%s", refusal.text);
    return MX_SUCCESS;
}

extern "C" mx_return_t mx_finalize(void) {
    pthread_mutex_lock(&library.lock);
    if (!library.ready) {
        pthread_mutex_unlock(&library.lock);
        return fail(nullptr, MX_NOT_INITIALIZED, "mx_finalize", "the library is not initialized");
    }
    for (const Endpoint* e : library.endpoints)
        if (e && e->magic == endpoint_magic && e->in_handler &&
            pthread_equal(e->handler_thread, pthread_self())) {
            pthread_mutex_unlock(&library.lock);
            return fail(nullptr, MX_CLOSE_IN_HANDLER, "mx_finalize", "called by an unexpected handler");
        }
    // Threads inside endpoints that are still open leave them first; then their handles are refused.
    library.ready = false;
    for (Endpoint* e : library.endpoints)
        if (e && e->magic == endpoint_magic)
            endpoint_end(*e);
    Driver* driver = library.driver;
    library.driver = nullptr;
    seam.use(nullptr);
    forget_boards();
    if (driver != given_driver)
        driver->shut(false);
    pthread_mutex_unlock(&library.lock);
    return MX_SUCCESS;
}
