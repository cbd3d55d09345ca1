// SPDX-License-Identifier: BSD-3-Clause
// Calls about peers: connect, iconnect, disconnect, addresses and their contexts.
#include "libmyri/call.h"
#include "libmyri/connect.h"
#include "libmyri/error.h"
#include "libmyri/incoming.h"
#include "libmyri/library.h"
#include "libmyri/stream.h"
#include "libmyri/wait.h"

using namespace myri;

namespace {

// MX_SUCCESS and a started connect, or why not.
mx_return_t begin(Endpoint& ep, uint64_t nic, uint32_t id, uint32_t key, uint64_t match, void* context,
                  Connect*& connect) {
    uint32_t peer = find_peer_by_mac(library.boards[ep.board], nic);
    if (peer == no_peer && read_board(ep.board) == 0) // the table may have grown
        peer = find_peer_by_mac(library.boards[ep.board], nic);
    if (peer == no_peer)
        return MX_NIC_NOT_FOUND;
    if (id >= FW_ENDPOINTS)
        return MX_BAD_ENDPOINT_ID;
    Connect* c = ep.connect_pool.take();
    if (!c)
        return MX_NO_RESOURCES;
    c->kind = RequestKind::connect;
    c->endpoint = &ep;
    c->user = true;
    c->peer = static_cast<uint16_t>(peer);
    c->peer_endpoint = static_cast<uint8_t>(id);
    c->key = key;
    c->match = match;
    c->status.match_info = match;
    c->status.context = context;
    c->deadline = ep.request_timeout == never ? never : seam.now() + ep.request_timeout;
    connect = c;
    return MX_SUCCESS;
}

// An endpoint by what an address says, with its lock. nullptr: closed or never was.
Endpoint* lock_endpoint_of(mx_endpoint_addr_t addr) {
    const auto low = static_cast<uint32_t>(addr.stuff[0]);
    const uint32_t slot = low >> 24;
    Endpoint* e = library.ready && slot < endpoint_slots ? library.endpoints[slot] : nullptr;
    if (!e)
        return nullptr;
    // The owner of the lock may be this thread's own handler's caller: it has let go of it.
    pthread_mutex_lock(&e->lock);
    if (e->magic == endpoint_magic && e->generation == (low >> 16 & 0xff) &&
        (low & 0xffff) < e->partner_count)
        return e;
    pthread_mutex_unlock(&e->lock);
    return nullptr;
}

} // namespace

extern "C" {

mx_return_t mx_iconnect(mx_endpoint_t endpoint, uint64_t nic_id, uint32_t endpoint_id, uint32_t key,
                        uint64_t match_info, void* context, mx_request_t* request) {
    Call call(endpoint, "mx_iconnect");
    if (call.refused())
        return call.answer();
    if (call.dead())
        return call.card_dead();
    Connect* c = nullptr;
    const mx_return_t code = begin(call.endpoint(), nic_id, endpoint_id, key, match_info, context, c);
    if (code != MX_SUCCESS)
        return call.fail(code, "NIC %012llx endpoint %u", static_cast<unsigned long long>(nic_id),
                         endpoint_id);
    c->forgotten = request == nullptr;
    if (request)
        *request = to_handle(c);
    connect_start(call.endpoint(), c);
    call->progress();
    return MX_SUCCESS;
}

mx_return_t mx_connect(mx_endpoint_t endpoint, uint64_t nic_id, uint32_t endpoint_id, uint32_t key,
                       uint32_t timeout, mx_endpoint_addr_t* addr) {
    Call call(endpoint, "mx_connect");
    if (call.refused())
        return call.answer();
    if (call.dead())
        return call.card_dead();
    Endpoint& ep = call.endpoint();
    Connect* c = nullptr;
    const auto nic = static_cast<unsigned long long>(nic_id);
    mx_return_t code = begin(ep, nic_id, endpoint_id, key, 0, nullptr, c);
    if (code != MX_SUCCESS)
        return call.fail(code, "NIC %012llx endpoint %u", nic, endpoint_id);
    // Not one of the user's requests: its end is reported here and by nothing else.
    c->user = false;
    c->network = true;
    c->deadline = never; // the call's own time counts
    bool over = false;
    mx_status_t status{};
    c->awaited = true;
    c->reported_to = &status;
    c->over = &over;
    connect_start(ep, c);
    if (!over && !wait_until(ep, timeout, [&] { return over; })) {
        if (ep.magic != endpoint_magic)
            return MX_BAD_ENDPOINT;
        ep.connects.remove(c);
        c->network = false;
        ep.release(c);
        status.code = MX_STATUS_TIMEOUT;
    }
    if (call.dead() && status.code != MX_STATUS_SUCCESS)
        return call.card_dead();
    switch (status.code) {
    case MX_STATUS_SUCCESS:
        if (addr)
            *addr = status.source;
        return MX_SUCCESS;
    case MX_STATUS_BAD_KEY:
        code = MX_BAD_CONNECTION_KEY;
        break;
    case MX_STATUS_TIMEOUT:
        code = MX_TIMEOUT;
        break;
    case MX_STATUS_NO_RESOURCES:
        code = MX_NO_RESOURCES;
        break;
    default:
        code = MX_CONNECTION_FAILED;
    }
    return call.fail(code, "NIC %012llx endpoint %u", nic, endpoint_id);
}

mx_return_t mx_disconnect(mx_endpoint_t endpoint, mx_endpoint_addr_t addr) {
    Call call(endpoint, "mx_disconnect");
    if (call.refused())
        return call.answer();
    Partner* p = call.partner(addr);
    if (!p || p->self)
        return MX_SUCCESS;
    Endpoint& ep = call.endpoint();
    for (Connect* c = ep.connects.front(); c;) {
        Connect* next = c->link.next;
        if (c->peer == p->peer && c->peer_endpoint == p->id)
            connect_end(ep, c, MX_STATUS_ENDPOINT_UNREACHABLE);
        c = next;
    }
    if (p->connected)
        partner_fail(ep, *p, MX_STATUS_ENDPOINT_UNREACHABLE);
    for (Arrival* a = ep.matcher.first_unexpected(); a;) {
        Arrival* next = Matcher::next(a);
        if (a->from == p) {
            incoming_take(ep, a);
            arrival_free(ep, a);
        }
        a = next;
    }
    return MX_SUCCESS;
}

mx_return_t mx_decompose_endpoint_addr2(mx_endpoint_addr_t addr, uint64_t* nic_id, uint32_t* endpoint_id,
                                        uint32_t* session_id) {
    if (nic_id)
        *nic_id = addr.stuff[1] >> 16;
    if (endpoint_id)
        *endpoint_id = static_cast<uint32_t>(addr.stuff[1] & 0xffff);
    if (session_id)
        *session_id = static_cast<uint32_t>(addr.stuff[0] >> 32);
    return MX_SUCCESS;
}

mx_return_t mx_decompose_endpoint_addr(mx_endpoint_addr_t addr, uint64_t* nic_id, uint32_t* endpoint_id) {
    return mx_decompose_endpoint_addr2(addr, nic_id, endpoint_id, nullptr);
}

mx_return_t mx_set_endpoint_addr_context(mx_endpoint_addr_t addr, void* context) {
    Endpoint* e = lock_endpoint_of(addr);
    if (!e)
        return fail(nullptr, MX_BAD_ENDPOINT, "mx_set_endpoint_addr_context",
                    "the address is of no open endpoint");
    e->partners[addr.stuff[0] & 0xffff]->context = context;
    pthread_mutex_unlock(&e->lock);
    return MX_SUCCESS;
}

mx_return_t mx_get_endpoint_addr_context(mx_endpoint_addr_t addr, void** context) {
    Endpoint* e = lock_endpoint_of(addr);
    if (!e)
        return fail(nullptr, MX_BAD_ENDPOINT, "mx_get_endpoint_addr_context",
                    "the address is of no open endpoint");
    if (context)
        *context = e->partners[addr.stuff[0] & 0xffff]->context;
    pthread_mutex_unlock(&e->lock);
    return MX_SUCCESS;
}

} // extern "C"
