// SPDX-License-Identifier: BSD-3-Clause
// An open endpoint: its share of the card, its partners, its requests. Everything here is under `lock`.
//
// Concepts
//  progress   takes what the card has written, looks at timers, posts what waits. Every call that takes an
//  endpoint does
//             a pass of it; nothing else changes an endpoint.
//  slot       in the table of endpoints (library.h); addresses name it, so that a stale address is
//  recognised. completed  requests whose status is final and not yet reported, oldest first.
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "abi/firmware.h"
#include "libmyri/bounce_area.h"
#include "libmyri/driver.h"
#include "libmyri/large.h"
#include "libmyri/list.h"
#include "libmyri/match.h"
#include "libmyri/partner.h"
#include "libmyri/pool.h"
#include "libmyri/registration.h"
#include "libmyri/request.h"
#include "libmyri/slot_writer.h"
#include "mx_extensions.h"

namespace myri {

constexpr uint32_t endpoint_magic = 0x454e4450;
constexpr uint32_t chunk_bytes = MSG_FRAGMENT_MAX; // of the send ring
constexpr uint32_t unexpected_default = 4u << 20;

struct LostReport {
    LostReport* next;
    char text[240];
};

// What the library noticed and repaired; for tests and MX_VERBOSE.
struct Counters {
    uint64_t bad_checksum = 0; // packets
    uint64_t bad_blocks = 0;   // of large messages
    uint64_t blocks = 0;       // good ones
    uint64_t copied_blocks = 0; // to where the card reaches them, or from there
    uint64_t malformed = 0;    // good checksum, impossible content
    uint64_t strangers = 0;    // packets of nobody that is connected
    uint64_t duplicates = 0;
    uint64_t early = 0; // arrivals ahead of their turn
    uint64_t resends = 0;
    uint64_t acks = 0; // packets that carry nothing else
    uint64_t probes = 0;
    uint64_t nacks = 0;       // received
    uint64_t pushed_back = 0; // refused for want of room
    uint64_t lost_sends = 0;  // failed after they had been reported
    uint64_t bad_slots = 0;
    uint64_t restarts = 0; // of the card
};

// A chunk of the send ring whose message is acknowledged, but the card may still read it for a repetition.
struct LentChunk {
    uint32_t slot_mark; // the slot that names it
    uint16_t chunk;
};

class Endpoint {
public:
    uint32_t magic = 0;
    pthread_mutex_t lock;

    uint32_t board = 0;
    uint32_t id = 0;
    uint32_t session = 0;
    uint32_t key = 0;
    uint64_t mac = 0;
    uint32_t table_slot = 0;
    uint8_t generation = 0; // of the table slot

    mx_error_handler_t error_handler = nullptr; // nullptr: the global one
    uint32_t unexpected_max = unexpected_default;
    uint32_t unexpected_bytes = 0;
    uint64_t context_mask = 0; // bits of the match word that are the context id
    uint64_t request_timeout = 0;

    // With a partner, where no request's own limit counts: some packets may be lost at the rarest.
    uint64_t patience() const {
        return request_timeout > 4 * resend_ceiling ? request_timeout : 4 * resend_ceiling;
    }

    // The card's side.
    EndpointMemory memory;
    const volatile myri_host_page* page = nullptr;
    uint32_t restarts = 0; // of the card, as dealt with
    uint32_t dead_seen = 0;
    uint32_t dead = 0; // an errno: the card has failed for good, and everything has ended
    Window window;
    SlotWriter slots{window};
    const fw_event* events = nullptr;
    uint32_t event_entries = 0;
    uint32_t event_shift = 0;
    uint32_t event_count = 0;      // events taken
    uint32_t events_published = 0; // as the card knows it
    uint64_t publish_at = 0;       // the card is told again, but not before
    const uint8_t* receive_ring = nullptr;
    uint32_t receive_size = 0;
    uint32_t receive_consumed = 0;
    uint32_t receive_published = 0;
    uint8_t* send_ring = nullptr;
    uint16_t* free_chunks = nullptr; // a stack
    uint32_t free_chunk_count = 0;
    LentChunk* lent_chunks = nullptr;
    uint32_t lent_chunk_count = 0;
    uint32_t chunk_count = 0;

    // Requests.
    Pool<Send> sends;
    Pool<Receive> receives;
    Pool<Connect, 8> connect_pool;
    Pool<Arrival> arrivals;
    Matcher matcher;
    List<Request, &Request::done> completed;
    List<Send, &Send::link> waiting; // for slots or room in the send ring
    uint32_t push_pass = 0;
    List<Connect, &Connect::link> connects;
    uint32_t next_connect = 1;

    // Partners: by peer and endpoint, and by index.
    Partner** by_peer[FW_PEERS] = {};
    Partner** partners = nullptr;
    uint32_t partner_count = 0;
    uint32_t partner_room = 0;
    Partner* self = nullptr;
    List<Arrival, &Arrival::link> self_waiting; // messages to itself that have not had their turn

    Large large;
    RegistrationCache registrations;
    uint32_t window_bytes = FW_WINDOW_MAX; // of a sent message's windows, where the card reaches the user's memory
    BounceArea bounce;
    Counters counters;

    uint64_t next_timer = never;
    uint64_t repost_at = never; // after a restart of the card
    bool somebody_pushed_back = false;
    uint32_t unexpected_news = 0; // counts messages that became unexpected
    bool progression_disabled = false;
    bool in_handler = false;
    pthread_t handler_thread;
    pthread_cond_t handler_over;
    mx_unexp_handler_t unexpected_handler = nullptr;
    void* unexpected_context = nullptr;
    uint32_t wakeups = 0; // counts mx_wakeup, so that a sleeper sees one
    int wakeup_fd = -1;
    bool thread_running = false; // the progress thread
    bool thread_stop = false;
    int thread_fd = -1;
    pthread_t thread;
    uint32_t sleepers = 0;
    bool waking = false;   // they have been woken, and some have not left yet
    uint32_t watchers = 0; // blocked calls that wait for anything, not for one request
    unsigned empty_polls = 0;
    LostReport* lost = nullptr; // sends that failed after their completion; reported without the lock

    // One pass; true if anything happened.
    bool progress();
    // What the driver has written into the host page is looked at in each pass.
    bool card_has_news() const { return ((page->restarts ^ restarts) | (page->dead ^ dead_seen)) != 0; }

    // The earliest time at which a timer may be due, looked up afresh.
    uint64_t timer_due();
    void arm(uint64_t when) {
        if (when < next_timer)
            next_timer = when;
    }

    // Takes note of what was read from the rings; tells the card in batches, or now.
    // Tells the card what has been taken, if that is much or `now`.
    void publish_consumed(bool now);

    // The partner at a peer; created if wanted. nullptr: none, or no memory.
    Partner* partner(uint16_t peer, uint8_t endpoint, bool create);
    mx_endpoint_addr_t address_of(const Partner* partner) const;

    // nullptr when a pool is exhausted.
    Send* new_send();
    Receive* new_receive();
    // Frees what neither user nor network needs.
    void release(Request* request);
    void complete(Request* request, mx_status_code_t code, uint32_t transferred);

private:
    void take_event(const fw_event& event);
    void run_timers(uint64_t now);
};

// Closes an endpoint without a word to its partners, once nobody is inside. With the library's lock.
void endpoint_end(Endpoint& ep);

} // namespace myri
