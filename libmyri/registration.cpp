// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/registration.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "libmyri/clock.h"

namespace myri {

void RegistrationCache::open(uint32_t b, uint32_t e, bool k, const myri_host_page* page, bool (*r)()) {
    board = b;
    endpoint = e;
    keep = k;
    starved = false;
    stale_bits = page ? page->stale : nullptr;
    relieve = r;
}

static void free_registration(Registration* r) {
    if (r->segments != &r->one)
        free(r->segments);
    free(r);
}

void RegistrationCache::clear() {
    while (Registration* r = all.pop_front())
        free_registration(r);
}

void RegistrationCache::drop(Registration* r) {
    all.remove(r);
    starved = false;
    myri_unregister u{board, endpoint, r->window, r->generation};
    seam.request(MYRI_UNREGISTER, &u, sizeof u);
    free_registration(r);
}

// Acquire: whoever has unmapped the memory has returned from it before this look-up.
bool RegistrationCache::is_stale(const Registration& r) const {
    return r.stale || (stale_bits && __atomic_load_n(&stale_bits[r.window / 32], __ATOMIC_ACQUIRE) & 1u << r.window % 32);
}

void RegistrationCache::drop_stale() {
    for (Registration* r = all.front(); r;) {
        Registration* next = r->link.next;
        if (r->users == 0 && is_stale(*r))
            drop(r);
        r = next;
    }
}

bool RegistrationCache::give_back() {
    bool any = false;
    while (drop_unused())
        any = true;
    return any;
}

bool RegistrationCache::drop_unused() {
    for (Registration* r = all.front(); r; r = r->link.next)
        if (r->users == 0) {
            drop(r);
            return true;
        }
    return false;
}

Registration* RegistrationCache::find(const mx_segment_t* pieces, uint32_t count, bool writable,
                                      uint32_t& at) {
    for (Registration* r = all.back(); r; r = r->link.prev) {
        if ((writable && !r->writable) || r->count != count || is_stale(*r))
            continue;
        if (count == 1) {
            const auto have = reinterpret_cast<uintptr_t>(r->segments[0].segment_ptr);
            const auto want = reinterpret_cast<uintptr_t>(pieces[0].segment_ptr);
            if (want >= have && want + pieces[0].segment_length <= have + r->segments[0].segment_length) {
                at = static_cast<uint32_t>(want - have);
                return r;
            }
            continue;
        }
        bool same = true;
        for (uint32_t i = 0; i < count && same; ++i)
            same = r->segments[i].segment_ptr == pieces[i].segment_ptr &&
                   r->segments[i].segment_length == pieces[i].segment_length;
        if (same) {
            at = 0;
            return r;
        }
    }
    return nullptr;
}

Registration* RegistrationCache::acquire(const Segments& buffer, uint32_t offset, uint32_t bytes,
                                         bool writable, uint32_t& at, int& error) {
    mx_segment_t pieces[MX_MAX_SEGMENTS];
    const uint32_t count = buffer.pieces(offset, bytes, pieces, MX_MAX_SEGMENTS);
    Registration* r = find(pieces, count, writable, at);
    if (r) {
        all.remove(r);
        all.push_back(r);
        ++r->users;
        return r;
    }
    drop_stale();
    at = 0;
    return add(pieces, count, writable ? MYRI_REGISTER_WRITABLE : 0, error);
}

Registration* RegistrationCache::acquire_own(void* memory, uint32_t bytes, bool writable, int& error) {
    const mx_segment_t whole{memory, bytes};
    Registration* r = add(&whole, 1, writable ? MYRI_REGISTER_WRITABLE : 0, error);
    if (r)
        r->stale = true;
    return r;
}

Registration* RegistrationCache::acquire_bounce(uint32_t bytes, int& error) {
    const mx_segment_t whole{nullptr, bytes};
    Registration* r = add(&whole, 1, MYRI_REGISTER_WRITABLE | MYRI_REGISTER_BOUNCE, error);
    if (r)
        r->stale = true;
    return r;
}

Registration* RegistrationCache::share(Registration* r) {
    ++r->users;
    return r;
}

Registration* RegistrationCache::add(const mx_segment_t* pieces, uint32_t count, uint32_t flags, int& error) {
    myri_register m;
    m.board = board;
    m.endpoint = endpoint;
    m.flags = flags;
    m.count = count;
    m.window = m.generation = 0;
    for (uint32_t i = 0; i < count; ++i)
        m.segment[i] = {reinterpret_cast<uint64_t>(pieces[i].segment_ptr), pieces[i].segment_length};
    const size_t length = offsetof(myri_register, segment) + count * sizeof(myri_segment);
    error = starved ? -ENOSPC : seam.request(MYRI_REGISTER, &m, length);
    while ((error == -ENOSPC && !starved) || error == -ENOMEM) {
        if (!drop_unused() && !(error == -ENOMEM && relieve && relieve())) {
            starved = !all.empty();
            if (starved)
                error = -ENOSPC;
            return nullptr;
        }
        error = seam.request(MYRI_REGISTER, &m, length);
    }
    if (error < 0)
        return nullptr;
    Registration* r = static_cast<Registration*>(calloc(1, sizeof *r));
    if (r) {
        r->segments = count == 1 ? &r->one : static_cast<mx_segment_t*>(malloc(count * sizeof(mx_segment_t)));
        if (!r->segments) {
            free(r);
            r = nullptr;
        }
    }
    if (!r) {
        myri_unregister u{board, endpoint, m.window, m.generation};
        seam.request(MYRI_UNREGISTER, &u, sizeof u);
        error = -ENOMEM;
        return nullptr;
    }
    memcpy(r->segments, pieces, count * sizeof(mx_segment_t));
    r->count = count;
    r->window = m.window;
    r->generation = m.generation;
    r->writable = flags & MYRI_REGISTER_WRITABLE;
    r->users = 1;
    all.push_back(r);
    return r;
}

void RegistrationCache::release(Registration* r) {
    if (--r->users)
        return;
    starved = false;
    if (!keep || is_stale(*r))
        drop(r);
}

void RegistrationCache::forget(const void* address, size_t bytes) {
    const auto from = reinterpret_cast<uintptr_t>(address);
    for (Registration* r = all.front(); r;) {
        Registration* next = r->link.next;
        for (uint32_t i = 0; i < r->count; ++i) {
            const auto a = reinterpret_cast<uintptr_t>(r->segments[i].segment_ptr);
            if (a < from + bytes && from < a + r->segments[i].segment_length)
                r->stale = true;
        }
        if (r->stale && r->users == 0)
            drop(r);
        r = next;
    }
}

} // namespace myri
