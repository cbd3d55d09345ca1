// SPDX-License-Identifier: BSD-3-Clause
// What the user has posted, and what the library itself sends: the objects behind mx_request_t.
//
// Concepts
//  Request   lives while the user's handle does (`user`) or the network needs it (`network`): an eager send
//  is reported
//            at once and kept until it is acknowledged.
//  Send      a sequenced message, the user's or a control message; holds what a resend needs.
//  Receive   a posted receive.
//  Connect   a connect in progress.
//  Arrival   a message on its way in: between its first good packet and its end.
#pragma once

#include <stdint.h>

#include "abi/message.h"
#include "libmyri/list.h"
#include "libmyri/segments.h"

namespace myri {

class Endpoint;
struct Partner;
struct Arrival;
struct LargeReceive;

enum class RequestKind : uint8_t { none, send, receive, connect };

constexpr uint32_t request_magic = 0x52455155;

struct Request {
    uint32_t magic = request_magic;
    RequestKind kind = RequestKind::none;
    bool user = false;      // a handle is out, or a completion has yet to be reported
    bool network = false;   // in a stream, or its buffer is in use
    bool completed = false; // `status` is final
    bool forgotten = false;
    bool awaited = false; // a call blocks on it
    Endpoint* endpoint = nullptr;
    Partner* partner = nullptr;
    Link<Request> done;    // in the endpoint's list of completed requests
    uint64_t deadline = 0; // picoseconds; `never` for none
    mx_status_t status = {};
};

struct Send : Request {
    enum class Place : uint8_t {
        none,
        held,    // the partner's stream is full
        waiting, // has a sequence number, waits for slots
        unacked, // posted
        pulled,  // a rendezvous that is acknowledged, and not yet notified
        local,   // to the own endpoint, unmatched
    };
    Link<Send> link;
    Place place = Place::none;
    uint8_t message = 0; // enum msg_kind
    uint8_t flags = 0;
    bool selectively_acked = false;
    bool lost = false; // to be posted again at once
    uint16_t sequence = 0;
    uint16_t resends = 0;
    uint64_t match = 0;
    uint32_t length = 0;
    uint32_t slot_mark = 0; // number of the slot it went into last
    uint64_t posted_at = 0; // last time
    uint64_t first_posted_at = 0;

    uint8_t data_bytes = 0; // bytes of `data` that travel
    uint8_t fragments = 0;  // MEDIUM
    uint8_t fragments_posted = 0;
    uint8_t fragments_acked = 0; // bits
    uint8_t fragment_shift = 0;  // log2 of their size
    uint16_t chunks[MSG_FRAGMENTS]; // MEDIUM: places in the send ring, 4 KiB each

    // Large: see send_large.cpp.
    bool rendezvous = false;
    uint16_t rendezvous_number = 0;
    bool own_limit = false;   // its deadline is its own, not the endpoint's
    bool matched = false;     // the receiver has asked for data
    bool wants_grant = false; // waits for one to become free
    Link<Send> grant_link;
    uint8_t grants_open = 0;
    uint8_t retiring = 0;     // grants whose RETIRED event is awaited before the report
    uint32_t next_offset = 0; // of the message; the next window to grant
    uint8_t asked_again = 0;  // windows whose grant was of no use
    uint32_t again[2] = {};   // their offsets

    Segments segments;
    alignas(8) uint8_t data[MSG_SMALL_MAX];
};

struct Receive : Request {
    Link<Receive> link; // posted
    uint64_t match = 0;
    uint64_t mask = 0;
    Segments segments;
    Arrival* arrival = nullptr; // once matched
};

struct Connect : Request {
    Link<Connect> link;
    uint16_t peer = 0;
    uint8_t peer_endpoint = 0;
    uint8_t refusals = 0;
    bool sent = false;
    uint16_t announced = 0; // first sequence number that may come; stays the same in repeats
    uint16_t given_up = 0;  // the partner's count, likewise
    uint32_t key = 0;
    uint32_t number = 0;
    uint64_t match = 0;
    uint64_t sent_at = 0;
    uint64_t resend_at = 0;
    uint64_t interval = 0;
    uint64_t refusal_at = 0;            // of the last nack that counted
    mx_status_t* reported_to = nullptr; // a blocked mx_connect: status and end go there
    bool* over = nullptr;
};

struct Arrival {
    Link<Arrival> link; // unexpected
    Partner* from = nullptr;
    uint8_t message = 0;     // enum msg_kind
    bool in_stream = false;  // the partner's window of arrivals points here
    bool matched = false;    // has had its turn in the order of matching
    bool complete = false;   // all data is here
    bool discard = false;    // consumed by the unexpected handler, or too late
    bool unexpected = false; // in the unexpected queue
    bool in_handler = false;
    bool abandoned = false; // its partner went while the handler ran
    bool unchecked = false; // RENDEZVOUS without checksums
    uint8_t fragments = 0;  // MEDIUM: how many, and which are here
    uint8_t fragments_here = 0;
    uint8_t fragment_shift = 0; // log2 of their size
    uint16_t sequence = 0;
    uint64_t match = 0;
    uint32_t length = 0;
    uint32_t charged = 0; // bytes counted against the endpoint's limit
    Receive* receive = nullptr;
    Send* local = nullptr; // a message from the own endpoint
    LargeReceive* large = nullptr;
    uint8_t* buffer = nullptr; // `few`, or allocated
    alignas(8) uint8_t few[MSG_SMALL_MAX];
};

inline Request* from_handle(mx_request_t handle) {
    return reinterpret_cast<Request*>(handle);
}
inline mx_request_t to_handle(Request* request) {
    return reinterpret_cast<mx_request_t>(request);
}

} // namespace myri
