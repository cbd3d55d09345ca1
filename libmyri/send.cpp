// SPDX-License-Identifier: BSD-3-Clause
// mx_isend and mx_issend: which way a message goes.
#include <errno.h>

#include "libmyri/call.h"
#include "libmyri/fragments.h"
#include "libmyri/library.h"
#include "libmyri/memory_limit.h"
#include "libmyri/self.h"
#include "libmyri/stream.h"

using namespace myri;

namespace {

uint64_t deadline_of(const Endpoint& ep) {
    return ep.request_timeout == never ? never : seam.now() + ep.request_timeout;
}

// An eager message that fits into a slot: copied into the request, where a resend finds it.
void prepare_inline(Send* s, const mx_segment_t* segments, uint32_t count) {
    s->message = MSG_EAGER;
    s->data_bytes = static_cast<uint8_t>(s->length);
    seam.spend_bytes(seam.costs().copy_byte, s->length);
    uint8_t* to = s->data;
    for (uint32_t i = 0; i < count; ++i) {
        if (segments[i].segment_length)
            __builtin_memcpy(to, segments[i].segment_ptr, segments[i].segment_length);
        to += segments[i].segment_length;
    }
}

mx_return_t post(const char* name, bool synchronous, mx_endpoint_t endpoint, mx_segment_t* segments,
                 uint32_t count, mx_endpoint_addr_t destination, uint64_t match, void* context,
                 mx_request_t* request) {
    Call call(endpoint, name);
    if (call.refused())
        return call.answer();
    if (call.dead())
        return call.card_dead();
    Endpoint& ep = call.endpoint();
    const mx_return_t bad = Segments::check(segments, count);
    if (bad != MX_SUCCESS)
        return call.fail(bad, "list of %u segments at %p", count, static_cast<void*>(segments));
    Partner* p = call.partner(destination);
    if (!p)
        return call.fail(MX_BAD_ENDPOINT, "the destination is no address of this endpoint");
    Send* s = ep.new_send();
    if (!s)
        return call.fail(MX_NO_RESOURCES, "no memory for a request");
    seam.spend(seam.costs().call_send);
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; ++i)
        length += segments[i].segment_length;
    s->length = length;
    s->match = match;
    s->partner = p;
    s->user = true;
    s->forgotten = request == nullptr;
    s->deadline = deadline_of(ep);
    s->status.source = destination;
    s->status.match_info = match;
    s->status.msg_length = length;
    s->status.context = context;
    if (request)
        *request = to_handle(s);

    const bool local = p->self && !library.options.disable_self;
    const bool eager = !synchronous && length <= MSG_MEDIUM_MAX;
    if (eager && length <= MSG_SMALL_MAX && !local) {
        prepare_inline(s, segments, count);
    } else if (!s->segments.set(segments, count)) {
        s->user = false;
        ep.release(s);
        return call.fail(MX_NO_RESOURCES, "no memory for a list of %u segments", count);
    }
    // An address from before the partner went, or was restarted, leads nowhere.
    if (!p->connected || static_cast<uint32_t>(destination.stuff[0] >> 32) != p->session) {
        ep.complete(s, p->connected ? MX_STATUS_BAD_SESSION : p->gone, 0);
        ep.release(s);
        return MX_SUCCESS;
    }
    if (local) {
        self_send(ep, s, synchronous);
    } else if (!eager) {
        s->rendezvous = true;
        s->message = MSG_RENDEZVOUS;
        s->flags = synchronous ? MSG_FLAG_SYNC : 0;
        if (const int status = large_prepare(ep, s); status < 0) {
            s->user = false;
            ep.release(s);
            if (status == -EFAULT)
                return call.fail(MX_BAD_SEG_MEM, "a segment is no readable memory");
            char limit[128];
            describe_memory_limit(limit, sizeof limit);
            return call.fail(MX_NO_RESOURCES, "%u bytes cannot be locked in memory: %s", length, limit);
        }
        stream_submit(ep, s);
    } else {
        if (length > MSG_SMALL_MAX) {
            s->message = MSG_MEDIUM;
            s->fragment_shift = fragment_shift(length, ep.waiting.empty() && p->unacked.empty());
            s->fragments = static_cast<uint8_t>(fragment_count(length, s->fragment_shift));
        }
        stream_submit(ep, s);
    }
    ep.progress();
    return MX_SUCCESS;
}

} // namespace

extern "C" {

mx_return_t mx_isend(mx_endpoint_t endpoint, mx_segment_t* segments, uint32_t segments_count,
                     mx_endpoint_addr_t destination, uint64_t match_info, void* context,
                     mx_request_t* request) {
    return post("mx_isend", false, endpoint, segments, segments_count, destination, match_info, context,
                request);
}

mx_return_t mx_issend(mx_endpoint_t endpoint, mx_segment_t* segments, uint32_t segments_count,
                      mx_endpoint_addr_t destination, uint64_t match_info, void* context,
                      mx_request_t* request) {
    return post("mx_issend", true, endpoint, segments, segments_count, destination, match_info, context,
                request);
}

mx_return_t mx_set_request_timeout(mx_endpoint_t endpoint, mx_request_t request, uint32_t milliseconds) {
    Call call(endpoint, "mx_set_request_timeout");
    if (call.refused())
        return call.answer();
    // A healthy message may need one resend: no limit is shorter than the longest resend period.
    uint64_t limit = milliseconds * ps_per_ms;
    if (limit < resend_ceiling)
        limit = resend_ceiling;
    if (milliseconds == MX_INFINITE)
        limit = never;
    if (!request) {
        call->request_timeout = limit;
        return MX_SUCCESS;
    }
    Request* r = from_handle(request);
    if (r->magic != request_magic || r->endpoint != &call.endpoint())
        return call.fail(MX_BAD_REQUEST, "the request is no live request of this endpoint");
    r->deadline = limit == never ? never : seam.now() + limit;
    if (r->kind == RequestKind::send && r->network && r->partner) {
        static_cast<Send*>(r)->own_limit = limit != never;
        partner_deadline(call.endpoint(), *r->partner, r->deadline);
    }
    call->arm(r->deadline);
    return MX_SUCCESS;
}

} // extern "C"
