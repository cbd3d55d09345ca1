// SPDX-License-Identifier: BSD-3-Clause
// Stores into an endpoint's SRAM window: request slots, grants, checksums, consumer counts.
//
// Concepts
//  window   write-combined memory of the card, or, in virtual time, records in the clock page. Written in
//  units of
//           8 bytes; stores between two barriers may arrive in any order, and in pieces.
//  slot     body and addresses first, a barrier, then the last 8 bytes with the generation as one store, a
//  flush. done     the firmware reports how many slots it has taken; at most FW_SLOTS are in flight.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "abi/firmware.h"
#include "libmyri/driver.h"

namespace myri {

class Window {
public:
    // `key` is board << 16 | endpoint. `page`: where a free-running card says that it sleeps.
    void open(const EndpointMemory& memory, Driver* driver, uint32_t board, uint32_t endpoint);

    // `offset` and `bytes` are multiples of 8, `data` is aligned to 8. Charges one burst per 64 bytes.
    void store(uint32_t offset, const void* data, uint32_t bytes);

    // What was stored before is on the card before what is stored after.
    void order_before_generation();

    // Pushes out what stands in write-combining buffers and wakes a sleeping emulated card.
    void flush_to_card();
    // The same for news that the card will see when it next has work.
    void flush_without_hurry();

private:
    uint8_t* memory = nullptr;
    const volatile uint32_t* card_asleep = nullptr;
    Driver* driver = nullptr;
    uint32_t board = 0, endpoint = 0;
};

struct SlotAddress {
    uint16_t peer;
    uint8_t endpoint;
    uint8_t type; // enum fw_slot_type
    uint32_t session;
};

class SlotWriter {
public:
    explicit SlotWriter(Window& window) : window(window) {}

    uint32_t posted() const { return posted_; }
    uint32_t done() const { return done_; }
    unsigned free_slots() const { return FW_SLOTS - (posted_ - done_); }
    // True when slot number `mark` (posted() before it was written) has surely not been sent. Up to a quarter
    // of the slots may be done without the firmware having told.
    bool surely_waits(uint32_t mark) const {
        return static_cast<int32_t>(mark - done_) >= static_cast<int32_t>(untold);
    }
    static constexpr uint32_t untold = FW_SLOTS / 4;

    // Room for a body of `bytes`, zeroed up to the next multiple of 8. Only with free_slots() > 0.
    uint8_t* body(uint32_t bytes) {
        const uint32_t rounded = (bytes + 7) & ~7u;
        begin = FW_SLOT_BODY - rounded;
        if (rounded)
            __builtin_memset(image.body + FW_SLOT_BODY - 8, 0, 8);
        return image.body + begin;
    }

    // Posts what body() was filled with. MEDIUM: `length` and `argument` name data in the send ring.
    void post(const SlotAddress& to, uint32_t length, uint32_t argument);

    // The card has forgotten all slots: both sides count from 0.
    void begin_anew() { posted_ = done_ = 0; }

    // From an event's trailer.
    void note_done(uint8_t slots_done) {
        done_ += static_cast<uint8_t>(slots_done - static_cast<uint8_t>(done_));
    }

private:
    Window& window;
    alignas(64) fw_slot image;
    uint32_t begin = FW_SLOT_BODY;
    uint32_t posted_ = 0;
    uint32_t done_ = 0;
};

} // namespace myri
