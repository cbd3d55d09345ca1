// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "libmyri/error.h"
#include "libmyri/library.h"
#include "libmyri/resume.h"

namespace myri {

bool second_thread() {
    if (!seam.is_virtual())
        return false;
    const pthread_t self = pthread_self();
    if (!__atomic_load_n(&library.thread_known, __ATOMIC_ACQUIRE)) {
        library.thread = self;
        __atomic_store_n(&library.thread_known, true, __ATOMIC_RELEASE);
    }
    return !pthread_equal(library.thread, self);
}

bool wrong_thread(const char* function, mx_return_t& answer, Endpoint* ep) {
    if (!second_thread())
        return false;
    answer = myri::fail(ep, MX_FAILURE, function,
                        "a second thread uses the library in virtual time: run the fabric with --free");
    return true;
}

Call::Call(mx_endpoint_t handle, const char* f) : function(f) {
    auto* e = reinterpret_cast<Endpoint*>(handle);
    if (!library.ready) {
        answer_ = myri::fail(nullptr, MX_NOT_INITIALIZED, function, "the library is not initialized");
        return;
    }
    if (!e || e->magic != endpoint_magic) {
        answer_ =
            myri::fail(nullptr, MX_BAD_ENDPOINT, function, "%p is no open endpoint", static_cast<void*>(e));
        return;
    }
    if (wrong_thread(function, answer_, e))
        return;
    pthread_mutex_lock(&e->lock);
    if (e->magic != endpoint_magic) { // closed while this thread waited for the lock
        pthread_mutex_unlock(&e->lock);
        answer_ =
            myri::fail(nullptr, MX_BAD_ENDPOINT, function, "%p is no open endpoint", static_cast<void*>(e));
        return;
    }
    ep = e;
    locked = true;
}

void Call::unlock() {
    if (!locked)
        return;
    locked = false;
    LostReport* lost = ep->lost;
    ep->lost = nullptr;
    pthread_mutex_unlock(&ep->lock);
    while (lost) {
        LostReport* next = lost->next;
        report_lost_send(ep, lost->text);
        free(lost);
        lost = next;
    }
}

Call::~Call() {
    unlock();
}

mx_return_t Call::fail(mx_return_t code, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unlock();
    return myri::fail(ep, code, function, "%s", text);
}

mx_return_t Call::card_dead() {
    return fail(MX_NIC_DEAD, "card %s is dead: %s", card_name(ep->board), dead_reason(ep->dead));
}

Partner* Call::partner(mx_endpoint_addr_t addr) const {
    const auto low = static_cast<uint32_t>(addr.stuff[0]);
    const uint32_t index = low & 0xffff;
    if (low >> 24 != ep->table_slot || (low >> 16 & 0xff) != ep->generation || index >= ep->partner_count)
        return nullptr;
    Partner* p = ep->partners[index];
    return addr.stuff[1] == (p->mac << 16 | p->id) ? p : nullptr;
}

} // namespace myri
