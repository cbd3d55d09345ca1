// SPDX-License-Identifier: BSD-3-Clause
// Opening and closing endpoints.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <new>

#include "libmyri/call.h"
#include "libmyri/clock.h"
#include "libmyri/error.h"
#include "libmyri/library.h"
#include "libmyri/memory_limit.h"
#include "libmyri/progress_thread.h"
#include "libmyri/resume.h"
#include "libmyri/sleep.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

struct Parameters {
    mx_error_handler_t handler = nullptr;
    uint32_t unexpected_max = unexpected_default;
    uint64_t context_mask = 0;
};

mx_return_t read_parameters(const mx_param_t* list, uint32_t count, Parameters& p) {
    if (count && !list)
        return MX_BAD_PARAM_LIST;
    for (uint32_t i = 0; i < count; ++i) {
        switch (list[i].key) {
        case MX_PARAM_ERROR_HANDLER:
            p.handler = list[i].val.error_handler;
            break;
        case MX_PARAM_UNEXP_QUEUE_MAX:
            p.unexpected_max = list[i].val.unexp_queue_max;
            break;
        case MX_PARAM_CONTEXT_ID: {
            const unsigned bits = list[i].val.context_id.bits, shift = list[i].val.context_id.shift;
            if (bits > MX_CONTEXT_ID_BITS_MAX || bits + shift > 64)
                return MX_BAD_PARAM_VAL;
            p.context_mask = bits ? ((UINT64_C(1) << bits) - 1) << shift : 0;
            break;
        }
        default:
            return MX_BAD_PARAM_NAME;
        }
    }
    return MX_SUCCESS;
}

// With the library's lock. The endpoint's memory, fresh; nullptr: table or memory exhausted.
Endpoint* take_table_slot() {
    for (unsigned i = 0; i < endpoint_slots; ++i) {
        Endpoint*& e = library.endpoints[i];
        if (e && e->magic == endpoint_magic)
            continue;
        if (e && e->memory.rings)
            continue; // closing, or left open by mx_finalize
        const bool first = !e;
        void* room = first ? aligned_alloc(64, (sizeof(Endpoint) + 63) & ~size_t{63}) : static_cast<void*>(e);
        if (!room)
            return nullptr;
        if (first) {
            memset(room, 0, sizeof(Endpoint));
            e = new (room) Endpoint;
            pthread_mutex_init(&e->lock, nullptr);
            pthread_cond_init(&e->handler_over, nullptr);
        } else {
            // The lock stays as it is: a thread with a stale handle may be waiting for it.
            const pthread_mutex_t lock = e->lock;
            const pthread_cond_t condition = e->handler_over;
            new (room) Endpoint;
            memcpy(&e->lock, &lock, sizeof lock);
            memcpy(&e->handler_over, &condition, sizeof condition);
        }
        e->table_slot = i;
        e->generation = ++library.generations[i];
        return e;
    }
    return nullptr;
}

bool set_up(Endpoint& e, const myri_endpoint_open& o) {
    e.id = o.endpoint;
    e.session = o.session;
    e.mac = library.boards[e.board].info.mac;
    static const myri_host_page no_page{};
    e.page = e.memory.page ? e.memory.page : &no_page;
    e.window.open(e.memory, library.driver, e.board, e.id);
    e.events = reinterpret_cast<const fw_event*>(e.memory.rings + o.event_offset);
    e.event_entries = o.event_entries;
    e.event_shift = static_cast<uint32_t>(__builtin_ctz(o.event_entries));
    e.receive_ring = e.memory.rings + o.receive_offset;
    e.receive_size = o.receive_bytes;
    e.send_ring = e.memory.rings + o.send_offset;
    e.chunk_count = o.send_bytes / chunk_bytes;
    e.free_chunks = static_cast<uint16_t*>(malloc(e.chunk_count * sizeof(uint16_t)));
    e.lent_chunks = static_cast<LentChunk*>(malloc(e.chunk_count * sizeof(LentChunk)));
    if (!e.free_chunks || !e.lent_chunks)
        return false;
    for (uint32_t i = 0; i < e.chunk_count; ++i)
        e.free_chunks[i] = static_cast<uint16_t>(e.chunk_count - 1 - i);
    e.free_chunk_count = e.chunk_count;
    e.registrations.open(e.board, e.id, library.options.registration_cache != 0, e.memory.page,
                         relieve_memory_limit);
    if (library.driver->attached.time == MYRI_TIME_REAL)
        e.window_bytes = window_bytes_under(memory_limit());
    if (o.bounce_bytes && e.bounce.open(e.registrations, e.memory.rings + o.bounce_offset, o.bounce_bytes) < 0)
        return false;
    const uint64_t half_seconds = library.options.max_retries;
    e.request_timeout = half_seconds ? half_seconds * 500 * ps_per_ms : never;
    e.wakeup_fd = seam.is_virtual() ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    const uint32_t peer = find_peer_by_mac(library.boards[e.board], e.mac);
    if (peer == no_peer)
        return false;
    e.self = e.partner(static_cast<uint16_t>(peer), static_cast<uint8_t>(e.id), true);
    if (!e.self)
        return false;
    e.self->self = true;
    partner_establish(e, *e.self, e.session, first_sequence);
    return true;
}

void tear_down(Endpoint& e) {
    // First: until the driver has closed it the card may write into what is freed below.
    if (library.driver)
        library.driver->close({e.board, e.id}, e.memory);
    large_clear(e);
    e.registrations.clear();
    for (uint32_t i = 0; i < e.partner_count; ++i) {
        Partner* p = e.partners[i];
        for (unsigned a = 0; a < stream_window; ++a)
            if (p->arrivals[a] && p->arrivals[a]->buffer != p->arrivals[a]->few &&
                !p->arrivals[a]->unexpected)
                free(p->arrivals[a]->buffer);
        free(p->arrivals);
        free(p);
    }
    for (Arrival* a = e.matcher.first_unexpected(); a; a = Matcher::next(a))
        if (a->buffer != a->few)
            free(a->buffer);
    free(e.partners);
    e.partners = nullptr;
    e.partner_count = 0;
    for (Partner**& p : e.by_peer) {
        free(p);
        p = nullptr;
    }
    free(e.free_chunks);
    e.free_chunks = nullptr;
    free(e.lent_chunks);
    e.lent_chunks = nullptr;
    e.lent_chunk_count = 0;
    e.self_waiting = {};
    // Segment lists of requests that end here without completion go with them.
    e.sends.clear();
    e.receives.clear();
    e.connect_pool.clear();
    e.arrivals.clear();
    while (LostReport* l = e.lost) {
        e.lost = l->next;
        free(l);
    }
    if (e.wakeup_fd >= 0)
        close(e.wakeup_fd);
    e.wakeup_fd = -1;
}

int open_on_driver(uint32_t board, uint32_t id, Endpoint& e, myri_endpoint_open& o) {
    o = myri_endpoint_open{};
    o.board = board;
    o.endpoint = id;
    e.board = board;
    return library.driver->open(o, e.memory);
}

// Endpoints reach themselves by the peer table, too. It may have been installed since it was read.
bool knows_itself(uint32_t board) {
    const uint64_t mac = library.boards[board].info.mac;
    return find_peer_by_mac(library.boards[board], mac) != no_peer ||
           (read_board(board) == 0 && find_peer_by_mac(library.boards[board], mac) != no_peer);
}

const char* reason(int status) {
    switch (status) {
    case -EHOSTUNREACH:
        return "the board is not in its own peer table: install one with mx_peers";
    case -ENODEV:
        return "the card is dead or gone";
    default:
        return strerror(-status);
    }
}

// Wildcards: endpoint numbers outermost, so that processes spread over boards.
int open_somewhere(uint32_t board, uint32_t id, Endpoint& e, myri_endpoint_open& o) {
    if (board != MX_ANY_NIC)
        return open_on_driver(board, id, e, o);
    int status = -EBUSY;
    const uint32_t first = id == MX_ANY_ENDPOINT ? 0 : id,
                   last = id == MX_ANY_ENDPOINT ? FW_ENDPOINTS - 1 : id;
    for (uint32_t i = first; i <= last; ++i)
        for (uint32_t b = 0; b < library.board_count; ++b)
            if ((status = open_on_driver(b, i, e, o)) != -EBUSY)
                return status;
    return status;
}

constexpr uint32_t no_board = MYRI_BOARDS_MAX;

// A board whose card is dead: `board`, or any.
uint32_t dead_board(uint32_t board) {
    for (uint32_t b = 0; b < library.board_count; ++b) {
        myri_board_info info{};
        info.board = b;
        if ((board != b && board != MX_ANY_NIC) || seam.request(MYRI_BOARD_INFO, &info, sizeof info) < 0)
            continue;
        library.boards[b].info.dead = info.dead;
        if (info.dead)
            return b;
    }
    return no_board;
}

} // namespace

// Whether anything that was reported as sent is still unacknowledged.
static bool lingering(const Endpoint& e, uint32_t& outstanding) {
    outstanding = 0;
    for (uint32_t i = 0; i < e.partner_count; ++i) {
        const Partner& p = *e.partners[i];
        if (!p.connected)
            continue;
        for (const Send* s = p.unacked.front(); s; s = s->link.next)
            outstanding += !s->rendezvous;
        for (const Send* s = p.held.front(); s; s = s->link.next)
            outstanding += !s->rendezvous && (s->completed || s->forgotten);
        for (const Send* s = p.rendezvous.front(); s; s = s->link.next)
            outstanding += s->forgotten;
    }
    for (const Send* s = e.waiting.front(); s; s = s->link.next)
        ++outstanding;
    return outstanding != 0;
}

static void linger(Endpoint& e) {
    constexpr uint64_t patience = 2000 * ps_per_ms;
    uint32_t outstanding, before = ~0u;
    uint64_t limit = 0;
    while (lingering(e, outstanding)) {
        const uint64_t now = seam.now();
        if (outstanding != before) {
            before = outstanding;
            limit = now + patience;
        }
        if (now >= limit)
            return;
        if (!e.progress())
            sleep_for_news(e, limit);
    }
}

static void say_goodbye(Endpoint& e) {
    for (uint32_t i = 0; i < e.partner_count; ++i) {
        Partner& p = *e.partners[i];
        if (!p.connected || p.self)
            continue;
        // A slot may be short for a moment; the partner finds out by itself if it stays so.
        const uint64_t limit = seam.now() + 10 * ps_per_ms;
        while (!stream_bare(e, p, MSG_CLOSE) && seam.now() < limit)
            if (!e.progress())
                sleep_for_news(e, limit);
    }
    // The card should send them before it forgets the endpoint; the last few slots it does not report.
    const uint64_t limit = seam.now() + 10 * ps_per_ms;
    while (e.slots.posted() - e.slots.done() >= SlotWriter::untold && seam.now() < limit)
        if (!e.progress())
            sleep_for_news(e, limit);
    const uint64_t a_little = seam.now() + 50 * ps_per_us;
    while (seam.now() < a_little)
        if (!e.progress())
            sleep_for_news(e, a_little);
}

void endpoint_end(Endpoint& e) {
    progress_thread_stop(e);
    pthread_mutex_lock(&e.lock);
    if (e.magic == endpoint_magic) {
        while (e.in_handler)
            pthread_cond_wait(&e.handler_over, &e.lock);
        e.magic = 0;
        // Sleepers leave before the memory goes, and before the driver does.
        while (e.sleepers) {
            pthread_mutex_unlock(&e.lock);
            wake_sleepers(e);
            usleep(100);
            pthread_mutex_lock(&e.lock);
        }
        tear_down(e);
    }
    pthread_mutex_unlock(&e.lock);
}

} // namespace myri

using namespace myri;

extern "C" mx_return_t mx_open_endpoint(uint32_t board, uint32_t endpoint_id, uint32_t key,
                                        mx_param_t* params, uint32_t params_count, mx_endpoint_t* endpoint) {
    const char* const name = "mx_open_endpoint";
    if (!library.ready)
        return fail(nullptr, MX_NOT_INITIALIZED, name, "the library is not initialized");
    mx_return_t wrong;
    if (wrong_thread(name, wrong))
        return wrong;
    Parameters parameters;
    const mx_return_t bad = read_parameters(params, params_count, parameters);
    if (bad != MX_SUCCESS)
        return fail(nullptr, bad, name, "parameter list of %u entries", params_count);
    if (!endpoint)
        return fail(nullptr, MX_BAD_ENDPOINT, name, "no place for the endpoint");
    if (board != MX_ANY_NIC && board >= library.board_count)
        return fail(nullptr, MX_BOARD_UNKNOWN, name, "board %u: there are %u", board, library.board_count);
    if (endpoint_id != MX_ANY_ENDPOINT && endpoint_id >= FW_ENDPOINTS)
        return fail(nullptr, MX_BAD_ENDPOINT_ID, name, "endpoint %u: 0 to %u exist", endpoint_id,
                    FW_ENDPOINTS - 1);

    pthread_mutex_lock(&library.lock);
    mx_return_t code = MX_SUCCESS;
    int status = 0;
    uint32_t dead = no_board;
    Endpoint* e = take_table_slot();
    if (!e) {
        code = MX_NO_RESOURCES;
        status = -ENOMEM;
    } else {
        myri_endpoint_open o;
        status = open_somewhere(board, endpoint_id, *e, o);
        if (status == 0 && !knows_itself(e->board)) {
            library.driver->close({e->board, o.endpoint}, e->memory);
            status = -EHOSTUNREACH;
        }
        if (status == -ENODEV && (dead = dead_board(board)) != no_board) {
            code = MX_NIC_DEAD;
        } else if (status < 0) {
            code = status == -ENODEV ? MX_NIC_DEAD : code_of_errno(status); // it was there when we began
        } else if (pthread_mutex_lock(&e->lock); !set_up(*e, o)) {
            tear_down(*e);
            pthread_mutex_unlock(&e->lock);
            code = MX_NO_RESOURCES;
            status = -ENOMEM;
        } else {
            e->key = key;
            e->error_handler = parameters.handler;
            e->unexpected_max = parameters.unexpected_max;
            e->context_mask = parameters.context_mask;
            e->magic = endpoint_magic;
            sleep_set_wake_after(*e, false);
            progress_thread_start(*e);
            pthread_mutex_unlock(&e->lock);
        }
    }
    pthread_mutex_unlock(&library.lock);
    if (dead != no_board)
        return fail(nullptr, code, name, "card %s is dead: %s", card_name(dead),
                    dead_reason(library.boards[dead].info.dead));
    if (code != MX_SUCCESS)
        return fail(nullptr, code, name, "board %u endpoint %u: %s", board, endpoint_id, reason(status));
    *endpoint = to_endpoint_handle(e);
    return MX_SUCCESS;
}

extern "C" mx_return_t mx_close_endpoint(mx_endpoint_t endpoint) {
    uint8_t generation;
    {
        Call call(endpoint, "mx_close_endpoint");
        if (call.refused())
            return call.answer();
        if (call->in_handler && pthread_equal(call->handler_thread, pthread_self()))
            return call.fail(MX_CLOSE_IN_HANDLER, "called by the unexpected handler of the endpoint");
        while (call->in_handler)
            pthread_cond_wait(&call->handler_over, &call->lock);
        call->progression_disabled = false;
        call->unexpected_handler = nullptr;
        generation = call->generation;
        linger(call.endpoint());
        say_goodbye(call.endpoint());
    }
    auto* e = reinterpret_cast<Endpoint*>(endpoint);
    pthread_mutex_lock(&library.lock);
    if (e->generation == generation) // else another thread has closed it, and it is open again
        endpoint_end(*e);
    pthread_mutex_unlock(&library.lock);
    return MX_SUCCESS;
}

extern "C" mx_return_t mx_get_endpoint_addr(mx_endpoint_t endpoint, mx_endpoint_addr_t* addr) {
    Call call(endpoint, "mx_get_endpoint_addr");
    if (call.refused())
        return call.answer();
    if (addr)
        *addr = call->address_of(call->self);
    return MX_SUCCESS;
}
