// SPDX-License-Identifier: BSD-3-Clause
//
// An endpoint's memory: event ring, receive ring, send ring, host page and perhaps a bounce area in one memfd, which
// driver and process both map. Sealed, so that the process cannot shrink it under the driver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "abi/driver.h"
#include "emulator/driver/file_descriptor.h"
#include "emulator/host/bus_map.h"

namespace myri::emulator {

class EndpointMemory {
public:
    // Sizes as in myri_endpoint_open, already checked, bounce_bytes too; the request's offsets and ring_bytes are filled in.
    // Throws std::system_error if the system refuses the memory.
    explicit EndpointMemory(myri_endpoint_open& request);
    ~EndpointMemory();
    EndpointMemory(const EndpointMemory&) = delete;
    EndpointMemory& operator=(const EndpointMemory&) = delete;

    int fd() const { return fd_.get(); }
    std::span<uint8_t> events() const { return events_; }
    std::span<uint8_t> receive() const { return receive_; }
    std::span<uint8_t> send() const { return send_; }
    std::span<uint8_t> bounce() const { return bounce_; } // empty: there is none
    // True if event number `count` (from 0, wrapping at 2^32) is in the ring.
    bool has_event(uint32_t count) const;
    // Nobody reads or writes the ring meanwhile.
    void clear_events();
    // News in the host page.
    void count_restart();
    void set_dead(uint32_t reason);
    // Sets card_asleep in the host page; what the process stored before it saw this is visible after the call.
    void set_asleep(bool asleep);

private:
    FileDescriptor fd_;
    std::span<uint8_t> all_, events_, receive_, send_, bounce_;
    myri_host_page* page_ = nullptr;
};

// One ring as the card's DMA reaches it. Stores become visible in order of address, 8 bytes at a time, so that a
// process which polls meanwhile never sees an event's trailer before its body.
class RingRange : public BusRange {
public:
    using Changed = std::function<void(Time)>;
    enum class Holds { events, message_data };
    RingRange(std::shared_ptr<EndpointMemory> owner, std::span<uint8_t> ring, Holds holds, Changed changed = {})
        : owner_(std::move(owner)), ring_(ring), holds_(holds), changed_(std::move(changed)) {}
    bool read(Time, uint64_t offset, std::span<uint8_t> out) override;
    bool write(Time when, uint64_t offset, std::span<const uint8_t> in) override;
    bool message_data() const override { return holds_ == Holds::message_data; }

private:
    std::shared_ptr<EndpointMemory> owner_; // keeps the mapping alive
    std::span<uint8_t> ring_;
    Holds holds_;
    Changed changed_;
};

} // namespace myri::emulator
