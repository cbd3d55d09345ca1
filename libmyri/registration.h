// SPDX-License-Identifier: BSD-3-Clause
// Registered memory of one endpoint: windows that the card may read or write, kept for the next message.
//
// Concepts
//  registration  up to FW_WINDOW_MAX bytes of a user's buffer, named to the card by window and generation.
//  cache         a registration that nobody uses stays until its place is needed (least recently used goes
//  first), unless
//                MX_RCACHE=0. The driver checks access when it registers and, in the emulator, at each
//                transfer.
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
    void open(uint32_t board, uint32_t endpoint, bool keep);
    void clear(); // without telling the driver: the endpoint is closed

    // Makes bytes [offset, offset + bytes) of a buffer known to the card; `at` says where they begin in the
    // window. nullptr with `error`: -ENOSPC (all windows in use: try again when one has been released),
    // -E2BIG (too many pieces: go through a copy), -EFAULT, -ENOMEM.
    Registration* acquire(const Segments& buffer, uint32_t offset, uint32_t bytes, bool writable,
                          uint32_t& at, int& error);
    // The same for memory of the library's own: never found in the cache, nor again, for it may lie where a
    // buffer of the user was before.
    Registration* acquire_own(void* memory, uint32_t bytes, bool writable, int& error);
    void release(Registration* registration);

    // Forgets what touches [address, address + bytes).
    void forget(const void* address, size_t bytes);

private:
    Registration* find(const mx_segment_t* pieces, uint32_t count, bool writable, uint32_t& at);
    Registration* add(const mx_segment_t* pieces, uint32_t count, bool writable, int& error);
    bool drop_unused();
    void drop(Registration* registration);

    uint32_t board = 0, endpoint = 0;
    bool keep = true;
    List<Registration, &Registration::link> all;
};

} // namespace myri
