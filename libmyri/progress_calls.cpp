// SPDX-License-Identifier: BSD-3-Clause
// Calls about progress itself, and those that MX declares and nobody has.
#include "libmyri/call.h"
#include "libmyri/error.h"
#include "libmyri/library.h"
#include "libmyri/sleep.h"

using namespace myri;

extern "C" {

mx_return_t mx_progress(mx_endpoint_t endpoint) {
    Call call(endpoint, "mx_progress");
    if (call.refused())
        return call.answer();
    const bool news = call->progress();
    if (call.dead())
        return call.card_dead();
    if (!news)
        empty_poll(call.endpoint());
    return MX_SUCCESS;
}

mx_return_t mx_disable_progression(mx_endpoint_t endpoint) {
    Call call(endpoint, "mx_disable_progression");
    if (call.refused())
        return call.answer();
    while (call->in_handler && !pthread_equal(call->handler_thread, pthread_self()))
        pthread_cond_wait(&call->handler_over, &call->lock);
    call->progression_disabled = true;
    return MX_SUCCESS;
}

mx_return_t mx_reenable_progression(mx_endpoint_t endpoint) {
    Call call(endpoint, "mx_reenable_progression");
    if (call.refused())
        return call.answer();
    call->progression_disabled = false;
    call->progress();
    return MX_SUCCESS;
}

// Without the lock: a thread that is busy inside must not delay it.
mx_return_t mx_wakeup(mx_endpoint_t endpoint) {
    auto* e = reinterpret_cast<Endpoint*>(endpoint);
    if (!library.ready)
        return fail(nullptr, MX_NOT_INITIALIZED, "mx_wakeup", "the library is not initialized");
    if (!e || e->magic != endpoint_magic)
        return fail(nullptr, MX_BAD_ENDPOINT, "mx_wakeup", "%p is no open endpoint", static_cast<void*>(e));
    wake_sleepers(*e);
    return MX_SUCCESS;
}

mx_return_t mx_register_unexp_callback(mx_endpoint_t endpoint, mx_matching_callback_t, void*) {
    Call call(endpoint, "mx_register_unexp_callback");
    return call.refused() ? call.answer()
                          : call.fail(MX_FAILURE, "not supported: use mx_register_unexp_handler");
}

mx_return_t mx_iput(mx_endpoint_t endpoint, void*, uint32_t, mx_endpoint_addr_t, uint64_t, void*,
                    mx_request_t*) {
    Call call(endpoint, "mx_iput");
    return call.refused() ? call.answer() : call.fail(MX_FAILURE, "not supported");
}

mx_return_t mx_iget(mx_endpoint_t endpoint, void*, uint32_t, mx_endpoint_addr_t, uint64_t, void*,
                    mx_request_t*) {
    Call call(endpoint, "mx_iget");
    return call.refused() ? call.answer() : call.fail(MX_FAILURE, "not supported");
}

} // extern "C"
