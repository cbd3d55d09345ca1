// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/clock.h"

#include <errno.h>
#include <string.h>

namespace myri {

Clock seam;

void Clock::use(Driver* d) {
    driver = d;
    virtual_ = d && d->attached.time == MYRI_TIME_VIRTUAL;
    costs_ = virtual_ ? d->attached.costs : myri_costs{};
}

void Clock::hand_over(uint32_t kind, uint64_t until, uint64_t period) {
    myri_clock c{};
    c.kind = kind;
    c.until = until;
    c.poll_period = period;
    if (driver->request(MYRI_CLOCK, &c, sizeof c) == 0)
        return;
    // The fabric is gone: time goes on by itself, so that every wait of this process reaches its limit.
    driver->moment.now = until == never ? driver->moment.now + 1000 * ps_per_ms : until;
    driver->moment.safe_until = never;
}

void Clock::yield() {
    hand_over(MYRI_CLOCK_YIELD, driver->moment.now, 0);
}

void Clock::park(uint64_t until) {
    if (until <= driver->moment.now)
        return;
    hand_over(MYRI_CLOCK_PARK, until, costs_.poll);
}

void Clock::record(uint32_t endpoint, uint32_t offset, const void* data, uint32_t bytes) {
    myri_clock_page* page = driver->clock_page;
    const uint32_t need = static_cast<uint32_t>(sizeof(myri_store)) + bytes;
    if (page->used + need > sizeof page->records)
        yield(); // takes the records
    if (page->used + need > sizeof page->records)
        return; // only when the fabric is gone
    myri_store store{};
    store.when = driver->moment.now;
    store.endpoint = endpoint;
    store.offset = offset;
    store.length = bytes;
    memcpy(page->records + page->used, &store, sizeof store);
    if (bytes)
        memcpy(page->records + page->used + sizeof store, data, bytes);
    page->used += need;
    if (bytes && store.when + costs_.own_effect < driver->moment.safe_until)
        driver->moment.safe_until = store.when + costs_.own_effect;
}

int Clock::request(uint32_t request, void* structure, size_t length) {
    if (!driver)
        return -ENOTCONN;
    return driver->request(request, structure, length);
}

} // namespace myri
