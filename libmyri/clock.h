// SPDX-License-Identifier: BSD-3-Clause
// The clock seam: all that the library knows of the difference between real and virtual time.
//
// Concepts
//  now      picoseconds; serves every timeout, resend and delay. CLOCK_MONOTONIC, or the process's virtual
//  clock. spend    charges work to virtual time; nothing otherwise. look     before memory that a card writes
//  is read: in virtual time what it holds at `now` must be known first. stored   after a store into an SRAM
//  window. park     nothing to do until a ring changes or a time comes (virtual time only).
// With real or free-running cards each of these is one predictable branch. In virtual time only one thread is
// here.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "libmyri/driver.h"

namespace myri {

constexpr uint64_t ps_per_us = 1000000;
constexpr uint64_t ps_per_ms = 1000000000;
constexpr uint64_t never = ~UINT64_C(0);

class Clock {
public:
    // nullptr: real time.
    void use(Driver* driver);
    bool is_virtual() const { return virtual_; }
    const myri_costs& costs() const { return costs_; }

    uint64_t now() const {
        if (__builtin_expect(virtual_, 0))
            return driver->moment.now;
        timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec)) * 1000;
    }

    void spend(uint64_t picoseconds) {
        if (__builtin_expect(virtual_, 0))
            driver->moment.now += picoseconds;
    }
    void spend_bytes(uint64_t per_byte, size_t bytes) { spend(per_byte * bytes); }

    void look() {
        if (__builtin_expect(virtual_, 0) && driver->moment.now >= driver->moment.safe_until)
            yield();
    }

    // Virtual time: goes on at the first multiple of the poll period at which a ring has changed, or at
    // `until`.
    void park(uint64_t until);

    // Virtual time: records a store (0 bytes: a barrier) of `bytes`, a multiple of 8, at `now`.
    void record(uint32_t endpoint, uint32_t offset, const void* data, uint32_t bytes);

    // A request of the driver; its answer moves virtual time on by what the driver takes.
    int request(uint32_t request, void* structure, size_t length);

private:
    void yield();
    void hand_over(uint32_t kind, uint64_t until, uint64_t period);

    bool virtual_ = false;
    Driver* driver = nullptr;
    myri_costs costs_ = {};
};

extern Clock seam;

} // namespace myri
