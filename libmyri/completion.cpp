// SPDX-License-Identifier: BSD-3-Clause
// test, wait, test_any, wait_any, ipeek, peek, context, forget: how requests end for their owner.
#include "libmyri/call.h"
#include "libmyri/clock.h"
#include "libmyri/error.h"
#include "libmyri/sleep.h"
#include "libmyri/wait.h"

using namespace myri;

namespace {

Request* request_of(mx_request_t* handle, const Endpoint& ep) {
    if (!handle || !*handle)
        return nullptr;
    Request* r = from_handle(*handle);
    return r->magic == request_magic && r->endpoint == &ep && r->user && !r->forgotten ? r : nullptr;
}

// Hands the status out; the handle is dead.
void report(Endpoint& ep, Request* r, mx_status_t* status) {
    if (status)
        *status = r->status;
    ep.completed.remove(r);
    r->user = false;
    ep.release(r);
}

Request* oldest_completed(const Endpoint& ep, uint64_t match, uint64_t mask) {
    for (Request* r = ep.completed.front(); r; r = r->done.next)
        if ((r->status.match_info & mask) == match)
            return r;
    return nullptr;
}

mx_return_t test_or_wait(const char* name, mx_endpoint_t endpoint, mx_request_t* request, bool block,
                         uint32_t timeout, mx_status_t* status, uint32_t* result) {
    Call call(endpoint, name);
    if (call.refused())
        return call.answer();
    Request* r = request_of(request, call.endpoint());
    if (!r)
        return call.fail(MX_BAD_REQUEST, "the request is no live request of this endpoint");
    auto done = [r] { return r->completed; };
    r->awaited |= block;
    const bool hit = block ? wait_until(call.endpoint(), timeout, done) : test_once(call.endpoint(), done);
    if (result)
        *result = hit;
    if (!hit && call.dead())
        return call.card_dead();
    if (hit) {
        report(call.endpoint(), r, status);
        *request = nullptr;
    }
    return MX_SUCCESS;
}

mx_return_t any(const char* name, mx_endpoint_t endpoint, bool block, uint32_t timeout, uint64_t match,
                uint64_t mask, mx_status_t* status, uint32_t* result) {
    Call call(endpoint, name);
    if (call.refused())
        return call.answer();
    if (match & ~mask)
        return call.fail(MX_BAD_MATCH_MASK, "match 0x%llx has bits outside the mask 0x%llx",
                         static_cast<unsigned long long>(match), static_cast<unsigned long long>(mask));
    Endpoint& ep = call.endpoint();
    Request* r = nullptr;
    auto done = [&] { return (r = oldest_completed(ep, match, mask)) != nullptr; };
    const bool hit = block ? watch_until(ep, timeout, done) : test_once(ep, done);
    if (result)
        *result = hit;
    if (!hit && call.dead())
        return call.card_dead();
    if (hit)
        report(ep, r, status);
    return MX_SUCCESS;
}

mx_return_t peek(const char* name, mx_endpoint_t endpoint, bool block, uint32_t timeout,
                 mx_request_t* request, uint32_t* result) {
    Call call(endpoint, name);
    if (call.refused())
        return call.answer();
    Endpoint& ep = call.endpoint();
    auto done = [&] { return !ep.completed.empty(); };
    const bool hit = block ? watch_until(ep, timeout, done) : test_once(ep, done);
    if (result)
        *result = hit;
    if (!hit && call.dead())
        return call.card_dead();
    if (hit && request)
        *request = to_handle(ep.completed.front());
    return MX_SUCCESS;
}

bool buffered(const Request* r) {
    if (r->completed)
        return true;
    const auto* s = static_cast<const Send*>(r);
    if (s->message == MSG_EAGER && s->place != Send::Place::local)
        return true; // copied when it was posted
    return s->message == MSG_MEDIUM && s->fragments && s->fragments_posted == s->fragments;
}

mx_return_t is_buffered(const char* name, mx_endpoint_t endpoint, mx_request_t* request, bool block,
                        uint32_t timeout, uint32_t* result) {
    Call call(endpoint, name);
    if (call.refused())
        return call.answer();
    Request* r = request_of(request, call.endpoint());
    if (!r || r->kind != RequestKind::send)
        return call.fail(MX_BAD_REQUEST, "the request is no live send of this endpoint");
    auto done = [r] { return buffered(r); };
    r->awaited |= block;
    const bool hit = block ? wait_until(call.endpoint(), timeout, done) : test_once(call.endpoint(), done);
    if (result)
        *result = hit;
    if (!hit && call.dead())
        return call.card_dead();
    return MX_SUCCESS;
}

} // namespace

extern "C" {

mx_return_t mx_test(mx_endpoint_t endpoint, mx_request_t* request, mx_status_t* status, uint32_t* result) {
    return test_or_wait("mx_test", endpoint, request, false, 0, status, result);
}

mx_return_t mx_wait(mx_endpoint_t endpoint, mx_request_t* request, uint32_t timeout, mx_status_t* status,
                    uint32_t* result) {
    return test_or_wait("mx_wait", endpoint, request, true, timeout, status, result);
}

mx_return_t mx_test_any(mx_endpoint_t endpoint, uint64_t match_info, uint64_t match_mask, mx_status_t* status,
                        uint32_t* result) {
    return any("mx_test_any", endpoint, false, 0, match_info, match_mask, status, result);
}

mx_return_t mx_wait_any(mx_endpoint_t endpoint, uint32_t timeout, uint64_t match_info, uint64_t match_mask,
                        mx_status_t* status, uint32_t* result) {
    return any("mx_wait_any", endpoint, true, timeout, match_info, match_mask, status, result);
}

mx_return_t mx_ipeek(mx_endpoint_t endpoint, mx_request_t* request, uint32_t* result) {
    return peek("mx_ipeek", endpoint, false, 0, request, result);
}

mx_return_t mx_peek(mx_endpoint_t endpoint, uint32_t timeout, mx_request_t* request, uint32_t* result) {
    return peek("mx_peek", endpoint, true, timeout, request, result);
}

mx_return_t mx_ibuffered(mx_endpoint_t endpoint, mx_request_t* request, uint32_t* result) {
    return is_buffered("mx_ibuffered", endpoint, request, false, 0, result);
}

mx_return_t mx_buffered(mx_endpoint_t endpoint, mx_request_t* request, uint32_t timeout, uint32_t* result) {
    return is_buffered("mx_buffered", endpoint, request, true, timeout, result);
}

mx_return_t mx_context(mx_request_t* request, void** context) {
    if (!request || !*request || from_handle(*request)->magic != request_magic || !context)
        return myri::fail(nullptr, MX_BAD_REQUEST, "mx_context", "the request is not alive");
    *context = from_handle(*request)->status.context;
    return MX_SUCCESS;
}

mx_return_t mx_forget(mx_endpoint_t endpoint, mx_request_t* request) {
    Call call(endpoint, "mx_forget");
    if (call.refused())
        return call.answer();
    Endpoint& ep = call.endpoint();
    Request* r = request_of(request, ep);
    if (!r)
        return call.fail(MX_BAD_REQUEST, "the request is no live request of this endpoint");
    *request = nullptr;
    if (r->completed) {
        report(ep, r, nullptr);
    } else {
        r->forgotten = true; // freed when it completes
    }
    ep.progress();
    return MX_SUCCESS;
}

} // extern "C"
