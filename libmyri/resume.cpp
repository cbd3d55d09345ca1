// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/resume.h"

#include <errno.h>

#include "libmyri/connect.h"
#include "libmyri/incoming.h"
#include "libmyri/library.h"
#include "libmyri/sleep.h"
#include "libmyri/stream.h"

namespace myri {

namespace {

// The driver has emptied event ring and SRAM window, and the card is at work: both sides count from 0.
void resume(Endpoint& ep) {
    ep.slots.begin_anew();
    ep.event_count = ep.events_published = 0;
    ep.receive_consumed = ep.receive_published = 0;
    sleep_set_wake_after(ep, ep.sleepers != 0);
    large_card_restarted(ep);
    connect_again(ep);
    stream_card_restarted(ep);
    ++ep.counters.restarts;
}

void end_receives(Endpoint& ep) {
    while (Receive* r = ep.matcher.first_posted()) {
        ep.matcher.withdraw(r);
        r->network = false;
        ep.complete(r, MX_STATUS_ABORTED, 0);
        ep.release(r);
    }
}

void end_self_send(Endpoint& ep, Arrival* a) {
    Send* s = a->local;
    a->local = nullptr;
    s->network = false;
    s->place = Send::Place::none;
    ep.complete(s, MX_STATUS_ABORTED, 0);
    ep.release(s);
    arrival_free(ep, a);
}

void end_self_sends(Endpoint& ep) {
    while (Arrival* a = ep.self_waiting.pop_front())
        end_self_send(ep, a);
    for (Arrival* a = ep.matcher.first_unexpected(); a;) {
        Arrival* next = Matcher::next(a);
        if (a->local) {
            incoming_take(ep, a);
            end_self_send(ep, a);
        }
        a = next;
    }
}

// The card touches no memory of ours any more.
void die(Endpoint& ep, uint32_t seen) {
    myri_board_info info{};
    info.board = ep.board;
    const bool told = seam.request(MYRI_BOARD_INFO, &info, sizeof info) == 0 && info.dead;
    ep.dead = told ? info.dead : seen;
    ep.slots.begin_anew();
    for (uint32_t i = 0; i < ep.partner_count; ++i)
        partner_fail(ep, *ep.partners[i], MX_STATUS_ABORTED);
    large_card_gone(ep);
    while (Connect* c = ep.connects.front())
        connect_end(ep, c, MX_STATUS_ABORTED);
    end_self_sends(ep);
    end_receives(ep);
    ep.repost_at = never;
    wake_others(ep);
}

} // namespace

bool resume_or_die(Endpoint& ep) {
    const uint32_t restarts = ep.page->restarts, dead = ep.page->dead;
    if (ep.dead) {
        ep.restarts = restarts; // of no interest any more
        ep.dead_seen = dead;
        return false;
    }
    int status = 0;
    if (!dead) {
        myri_endpoint_ref ref{ep.board, ep.id};
        status = seam.request(MYRI_ENDPOINT_RESUME, &ref, sizeof ref);
        if (status == 0)
            resume(ep);
    }
    ep.restarts = restarts; // if there was another one meanwhile, the next pass sees it
    ep.dead_seen = ep.page->dead;
    if (dead || status < 0)
        die(ep, ep.dead_seen ? ep.dead_seen : status < 0 ? static_cast<uint32_t>(-status) : dead);
    return true;
}

const char* dead_reason(uint32_t error) {
    switch (error) {
#define ROW(number, text) \
    case number:          \
        return text;
        MYRI_DEAD_REASONS(ROW)
#undef ROW
    default:
        return "it cannot be started";
    }
}

const char* card_name(uint32_t board) {
    const Board& b = library.boards[board];
    const uint32_t peer = find_peer_by_mac(b, b.info.mac);
    return peer == no_peer ? "(unknown)" : b.peers[peer].name;
}

} // namespace myri
