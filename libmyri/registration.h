// SPDX-License-Identifier: BSD-3-Clause
// Registered memory of one endpoint: windows that the card may read or write, kept for the next message.
//
// Concepts
//  registration  up to FW_WINDOW_MAX bytes of a user's buffer, named to the card by window and generation.
//  cache         a registration that nobody uses stays until its place is needed (least recently used goes
//  first), unless
//                MX_RCACHE=0. The driver checks access when it registers and, in the emulator, at each
//                transfer.
//  stale         the memory was unmapped or remapped: the driver says so in the host page, where a look-up sees it. Who
//                uses the registration may go on, nobody else begins.
//  starved       the system lets no more memory be locked, or all windows are taken, while some of ours are in use:
//                nothing is asked of the driver until one is given back.
// Under the endpoint's lock.
#pragma once

#include <stdint.h>

#include "abi/driver.h"
#include "abi/firmware.h"
#include "libmyri/list.h"
#include "libmyri/segments.h"

namespace myri {

struct Registration {
    Link<Registration> link; // the cache, most recently used last
    uint32_t window = 0;
    uint32_t generation = 0;
    bool writable = false;
    bool stale = false; // not to be found again
    uint32_t users = 0;
    uint32_t count = 0; // segments
    mx_segment_t* segments = nullptr;
    mx_segment_t one = {};
};

class RegistrationCache {
public:
    // `page` may be nullptr. `relieve` makes other endpoints of the process give back what they keep unused: true if
    // one did.
    void open(uint32_t board, uint32_t endpoint, bool keep, const myri_host_page* page, bool (*relieve)());
    void clear(); // without telling the driver: the endpoint is closed

    // Makes bytes [offset, offset + bytes) of a buffer known to the card; `at` says where they begin in the
    // window. nullptr with `error`: -ENOSPC (try again when a registration has been released),
    // -E2BIG (too many pieces: go through a copy), -EFAULT, -ENOMEM (not even alone: RLIMIT_MEMLOCK).
    Registration* acquire(const Segments& buffer, uint32_t offset, uint32_t bytes, bool writable,
                          uint32_t& at, int& error);
    // The same for memory of the library's own: never found in the cache, nor again, for it may lie where a
    // buffer of the user was before.
    Registration* acquire_own(void* memory, uint32_t bytes, bool writable, int& error);
    // The first `bytes` of the endpoint's bounce area, likewise.
    Registration* acquire_bounce(uint32_t bytes, int& error);
    // One more user of a registration that has some.
    static Registration* share(Registration* registration);
    void release(Registration* registration);

    // Gives back what nobody uses. True if there was any.
    bool give_back();

    // Forgets what touches [address, address + bytes).
    void forget(const void* address, size_t bytes);

private:
    Registration* find(const mx_segment_t* pieces, uint32_t count, bool writable, uint32_t& at);
    Registration* add(const mx_segment_t* pieces, uint32_t count, uint32_t flags, int& error);
    bool is_stale(const Registration& registration) const;
    void drop_stale();
    bool drop_unused();
    void drop(Registration* registration);

    uint32_t board = 0, endpoint = 0;
    bool keep = true;
    bool starved = false;
    const uint32_t* stale_bits = nullptr; // of the host page
    bool (*relieve)() = nullptr;
    List<Registration, &Registration::link> all;
};

} // namespace myri
