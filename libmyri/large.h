// SPDX-License-Identifier: BSD-3-Clause
// Large messages and every issend: rendezvous, grants on the sender's side, pulls on the receiver's.
//
// Concepts
//  grant    the sender's: a range of a registration that one partner may pull, with a ring of block checksums
//  that are
//           computed ahead of the card. Half of the grants go out with the RENDEZVOUS, before anybody has
//           matched it; the other half is for receivers that ask (GRANT_WANTED), so that unmatched messages
//           cannot starve matched ones.
//  window   of a long message: FW_WINDOW_MAX bytes, or a share of the sender's bounce area, with its own grant; two
//           may be open.
//  pull     the receiver's: a card's handle that fetches a run of blocks. A block whose checksum differs
//  stays missing
//           and is fetched by a new pull.
//  retire   before a request is reported as failed the card confirms that it uses its memory no more.
#pragma once

#include <stdint.h>

#include "abi/firmware.h"
#include "abi/message.h"
#include "libmyri/list.h"
#include "libmyri/registration.h"
#include "libmyri/request.h"

namespace myri {

constexpr unsigned grants_unasked = FW_GRANTS / 2;
constexpr unsigned windows_open = 2;
constexpr unsigned blocks_ahead = 8;      // checksums computed beyond the last block that was asked for
constexpr unsigned failures_allowed = 16; // damaged blocks in a row
constexpr uint32_t pull_deadline_ms = 1000;
constexpr unsigned bounced_pulls = 2;     // of a message: a pull is one share long, so more would take all handles

struct Grant {
    Send* owner = nullptr; // nullptr: free
    Registration* registration = nullptr;
    uint16_t generation = 0;
    bool unasked = false; // counts against grants_unasked
    bool retiring = false;
    uint32_t offset = 0; // in the message
    uint32_t at = 0;     // of `offset` in the registration
    uint32_t length = 0;
    uint32_t blocks = 0;
    uint32_t next_block = 0;           // whose checksum comes next
    uint32_t wanted_to = 0;            // checksums are wanted below this block
    uint32_t tags[FW_GRANT_CRCS] = {}; // block + 1 whose checksum stands there
    uint8_t* copy = nullptr; // what the card reads, if not the user's buffer: filled block by block
    uint8_t* own = nullptr;  // that copy, if it is the library's own: of memory too scattered to be registered
};

// One window of a message that is being received.
struct IncomingWindow {
    bool open = false;
    uint16_t grant = 0;
    uint16_t grant_generation = 0;
    uint32_t offset = 0; // in the message
    uint32_t granted = 0;
    uint32_t wanted = 0; // of `granted`: what the user's buffer holds
    Registration* registration = nullptr; // of whole blocks of the user's buffer, or of `own`
    uint32_t at = 0;                      // of `offset` in the registration
    uint8_t* own = nullptr;               // instead of a buffer that is too scattered to be registered
    unsigned refusals = 0; // since the last block
    bool dead = false;     // its grant is: once all its pulls are retired, asks for another
    uint32_t missing_count = 0;
    uint64_t missing[4] = {};   // blocks not here
    uint64_t requested[4] = {}; // blocks in a pull
};

struct LargeReceive {
    Link<LargeReceive> link; // all of an endpoint
    Arrival* arrival = nullptr;
    Receive* receive = nullptr;
    Partner* from = nullptr;
    uint16_t number = 0; // of the rendezvous
    uint32_t length = 0; // of the message
    uint32_t take = 0;   // bytes that the user's buffer holds
    uint32_t done = 0;   // bytes of windows that are done
    uint32_t window_bytes = 0;
    bool unchecked = false;
    bool failed = false; // waits for its pulls to be retired
    mx_status_code_t code = MX_STATUS_SUCCESS;
    unsigned failures = 0;
    unsigned pulls = 0;    // in use
    uint64_t retry_at = 0; // not before
    IncomingWindow windows[windows_open];
    uint64_t* windows_over = nullptr; // bit per window of the message that is done: it is not taken again
    uint8_t* cut_block = nullptr; // of a message that does not fit: the block where the user's buffer ends
    Registration* cut_registration = nullptr;
};

struct Pull {
    LargeReceive* owner = nullptr; // nullptr: free
    unsigned window = 0;
    uint16_t generation = 0;
    bool retiring = false;
    uint8_t* copy = nullptr; // where its first block goes, if not into the user's buffer
    uint32_t first = 0, count = 0, remaining = 0;
};

// A request slot about a pull or a grant, until the ring comes round.
struct LargeSlot {
    uint16_t count = 0; // of the slot, low bits
    uint8_t type = 0;   // enum fw_slot_type; 0: nothing of this kind
    uint8_t what = 0;   // RETIRE: enum fw_retire
    uint16_t index = 0;
    uint16_t generation = 0;
};

struct Large {
    LargeSlot slots[FW_SLOTS];
    Grant grants[FW_GRANTS];
    Pull pulls[FW_PULLS];
    unsigned unasked = 0;
    uint32_t checksums_due = 0; // bit per grant that has checksums to compute
    uint32_t retires_due = 0;   // bit per retire request that found no slot: grants low, pulls from bit 16
    List<Send, &Send::grant_link> wanting; // sends that wait for a grant
    List<LargeReceive, &LargeReceive::link> incoming;
    bool work = false; // incoming windows may have something to pull
};

// ---- sender ----
// Fills in the RENDEZVOUS, with a grant if one may be given unasked. 0, -EFAULT: the card cannot read the memory,
// -ENOMEM: it may not be locked (memory_limit.h).
int large_prepare(Endpoint& ep, Send* send);
void large_ask(Endpoint& ep, Partner& p, const msg_window& wanted); // GRANT_WANTED
void large_window_done(Endpoint& ep, Partner& p, const msg_window& done);
void large_notify(Endpoint& ep, Partner& p, const msg_notify& notify);
void large_grant_asked(Endpoint& ep, uint32_t grant_generation, uint32_t block);
// A grant for somebody who waits, if one is free. True if something was done.
bool large_give_grant(Endpoint& ep);
// Fails a rendezvous once its grants are retired.
void large_abandon_send(Endpoint& ep, Send* send, mx_status_code_t code);
void large_grant_retired(Endpoint& ep, unsigned index);

// ---- receiver ----
// The arrival has its receive.
void large_begin(Endpoint& ep, Arrival* arrival);
// The message was consumed by the unexpected handler.
void large_refuse(Endpoint& ep, Arrival* arrival);
void large_window_next(Endpoint& ep, Partner& p, const msg_rendezvous& next);
void large_block(Endpoint& ep, uint32_t pull_generation, uint32_t block, uint32_t crc);
void large_pull_failed(Endpoint& ep, uint32_t pull_generation);
void large_abandon_receive(Endpoint& ep, LargeReceive* large, mx_status_code_t code);
bool large_pull_more(Endpoint& ep);
// A nack says that a pull's grant is no more: only a hint.
void large_pull_refused(Endpoint& ep, uint32_t pull_generation);
// The card would not take a pull.
void large_pull_impossible(Endpoint& ep, uint32_t pull_generation);
void large_pull_retired(Endpoint& ep, unsigned index);
uint64_t large_timer(const Endpoint& ep);

// ---- both ----
// One block's checksum, a grant for somebody who waits, pulls. True if something was done.
bool large_step(Endpoint& ep);
// Posts a retire request, or remembers it for when there is a slot.
void large_retire(Endpoint& ep, unsigned what, unsigned index);
// The card has refused the slot with this count.
void large_slot_refused(Endpoint& ep, uint16_t count);
// The card has forgotten everything: grants stand in its window again, and what pulls have not brought is fetched anew.
// Or for ever: what waits for a confirmation of the card ends.
void large_card_restarted(Endpoint& ep);
void large_card_gone(Endpoint& ep);
// A control message is here: NOTIFY, WINDOW_DONE, WINDOW_NEXT, GRANT_WANTED.
void control_message(Endpoint& ep, Partner& p, const Arrival* arrival);

void large_retired(Endpoint& ep, uint32_t index_generation, uint32_t what);
// The endpoint closes: forgets everything without telling anybody.
void large_clear(Endpoint& ep);

} // namespace myri
