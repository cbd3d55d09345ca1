// SPDX-License-Identifier: BSD-3-Clause
// mx_irecv, mx_cancel, and looking at what has arrived: iprobe, probe, the unexpected handler.
#include "libmyri/call.h"
#include "libmyri/connect.h"
#include "libmyri/incoming.h"
#include "libmyri/wait.h"

using namespace myri;

static mx_return_t look(const char* name, mx_endpoint_t endpoint, bool block, uint32_t timeout,
                        uint64_t match, uint64_t mask, mx_status_t* status, uint32_t* result) {
    Call call(endpoint, name);
    if (call.refused())
        return call.answer();
    if (match & ~mask)
        return call.fail(MX_BAD_MATCH_MASK, "match 0x%llx has bits outside the mask 0x%llx",
                         static_cast<unsigned long long>(match), static_cast<unsigned long long>(mask));
    Endpoint& ep = call.endpoint();
    Arrival* a = nullptr;
    auto found = [&] { return (a = ep.matcher.find_arrival(match, mask)) != nullptr; };
    const bool hit = block ? watch_until(ep, timeout, found) : test_once(ep, found);
    if (result)
        *result = hit;
    if (!hit && call.dead())
        return call.card_dead();
    if (hit && status) {
        status->code = MX_STATUS_SUCCESS;
        status->source = ep.address_of(a->from);
        status->match_info = a->match;
        status->msg_length = a->length;
        status->xfer_length = a->length;
        status->context = nullptr;
    }
    return MX_SUCCESS;
}

extern "C" {

mx_return_t mx_irecv(mx_endpoint_t endpoint, mx_segment_t* segments, uint32_t segments_count,
                     uint64_t match_info, uint64_t match_mask, void* context, mx_request_t* request) {
    Call call(endpoint, "mx_irecv");
    if (call.refused())
        return call.answer();
    if (call.dead())
        return call.card_dead();
    Endpoint& ep = call.endpoint();
    const mx_return_t bad = Segments::check(segments, segments_count);
    if (bad != MX_SUCCESS)
        return call.fail(bad, "list of %u segments at %p", segments_count, static_cast<void*>(segments));
    if (match_info & ~match_mask)
        return call.fail(MX_BAD_MATCH_MASK, "match 0x%llx has bits outside the mask 0x%llx",
                         static_cast<unsigned long long>(match_info),
                         static_cast<unsigned long long>(match_mask));
    if (ep.context_mask & ~match_mask)
        return call.fail(
            MX_BAD_MATCHING_FOR_CONTEXT_ID_MASK, "mask 0x%llx does not cover the context id 0x%llx",
            static_cast<unsigned long long>(match_mask), static_cast<unsigned long long>(ep.context_mask));
    Receive* r = ep.new_receive();
    if (!r || !r->segments.set(segments, segments_count)) {
        if (r)
            ep.release(r);
        return call.fail(MX_NO_RESOURCES, "no memory for a request");
    }
    r->match = match_info;
    r->mask = match_mask;
    r->status.context = context;
    r->status.match_info = match_info;
    r->forgotten = request == nullptr;
    r->deadline = never;
    if (request)
        *request = to_handle(r);
    incoming_receive(ep, r);
    ep.progress();
    return MX_SUCCESS;
}

mx_return_t mx_cancel(mx_endpoint_t endpoint, mx_request_t* request, uint32_t* result) {
    Call call(endpoint, "mx_cancel");
    if (call.refused())
        return call.answer();
    Endpoint& ep = call.endpoint();
    Request* r = request ? from_handle(*request) : nullptr;
    if (!r || r->magic != request_magic || r->endpoint != &ep || !r->user)
        return call.fail(MX_BAD_REQUEST, "the request is no live request of this endpoint");
    ep.progress();
    if (r->kind == RequestKind::send)
        return call.fail(MX_CANCEL_NOT_SUPPORTED, "a send cannot be cancelled");
    bool cancelled = false;
    if (r->kind == RequestKind::receive && static_cast<Receive*>(r)->link.linked) {
        ep.matcher.withdraw(static_cast<Receive*>(r));
        cancelled = true;
    } else if (r->kind == RequestKind::connect && !r->completed) {
        ep.connects.remove(static_cast<Connect*>(r));
        cancelled = true;
    }
    if (cancelled) {
        r->user = r->network = false;
        ep.release(r);
        *request = nullptr;
    }
    if (result)
        *result = cancelled;
    return MX_SUCCESS;
}

mx_return_t mx_iprobe(mx_endpoint_t endpoint, uint64_t match_info, uint64_t match_mask, mx_status_t* status,
                      uint32_t* result) {
    return look("mx_iprobe", endpoint, false, 0, match_info, match_mask, status, result);
}

mx_return_t mx_probe(mx_endpoint_t endpoint, uint32_t timeout, uint64_t match_info, uint64_t match_mask,
                     mx_status_t* status, uint32_t* result) {
    return look("mx_probe", endpoint, true, timeout, match_info, match_mask, status, result);
}

mx_return_t mx_register_unexp_handler(mx_endpoint_t endpoint, mx_unexp_handler_t handler, void* context) {
    Call call(endpoint, "mx_register_unexp_handler");
    if (call.refused())
        return call.answer();
    call->unexpected_handler = handler;
    call->unexpected_context = context;
    return MX_SUCCESS;
}

} // extern "C"
