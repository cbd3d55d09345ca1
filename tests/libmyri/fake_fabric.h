// SPDX-License-Identifier: BSD-3-Clause
//
// A card, its firmware and a wire in a few hundred lines: a Driver in virtual time, for tests of the library
// alone.
//
// One board; its endpoints talk to each other. It is written from abi/ and shares no code with the firmware
// or the emulator. Faults hit packets (never event trailers) with given probabilities, from a seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "abi/firmware.h"
#include "abi/message.h"
#include "libmyri/driver.h"

namespace myri::test {

struct Faults {
    double drop = 0, duplicate = 0, reorder = 0, corrupt = 0; // per packet
    double corrupt_block = 0;                                 // per block of a large message
    bool shuffle_stores = false;
};

class FakeFabric final : public Driver {
public:
    explicit FakeFabric(uint64_t seed = 1);

    Faults faults;
    uint64_t packets = 0;
    std::map<int, uint64_t> sent_by_kind; // enum msg_kind, as it stands in the packet
    uint64_t dropped = 0, corrupted = 0, corrupted_blocks = 0;
    uint64_t latency = 3000000; // picoseconds, one way
    unsigned windows_per_endpoint = FW_WINDOWS;
    uint32_t bounce_bytes[FW_ENDPOINTS] = {}; // of endpoints that are opened from now on; 0: no bounce area
    std::function<bool(const msg_header&)> lose; // true: this packet is dropped
    std::function<bool(uint32_t)> refuse_pull; // of grant << 16 | generation: true: the grant is said to be dead
    // The endpoint is closed behind its owner's back: the card refuses what comes for it.
    void kill(uint32_t endpoint) { endpoints_[endpoint].open = false; }
    std::function<bool(uint8_t)> refuse_slot; // by enum fw_slot_type: true: BAD_SLOT
    // What comes for the endpoint is lost.
    void close_ear(uint32_t endpoint, bool closed = true) { deaf_[endpoint] = closed; }
    // The card stands still from `time` on, and has forgotten everything when it is back `outage` later.
    void restart_card(uint64_t time, uint64_t outage);
    // It stands still and never comes back.
    void kill_card(uint64_t time);
    uint32_t restarts = 0;
    unsigned registered(uint32_t endpoint) const;
    uint64_t lockable = ~UINT64_C(0); // bytes that may be registered at once, of all endpoints
    unsigned registrations_asked = 0;
    // The memory was unmapped, or mapped anew: what the kernel's driver says of windows in it.
    void remapped(const void* memory, size_t bytes);
    bool grants_open(uint32_t endpoint) const;
    // A packet as it stands on the wire, from whoever knows the endpoint's session; an event as a card might write it.
    void inject(uint32_t from, uint8_t kind, uint32_t to, std::vector<uint8_t> body, std::vector<uint8_t> data) {
        arrive(from, kind, to, endpoints_[to].session, std::move(body), std::move(data));
    }
    void inject(uint32_t endpoint, const fw_event& v) { event(endpoint, v); }
    uint32_t session(uint32_t endpoint) const { return endpoints_[endpoint].session; }

    static constexpr uint64_t mac = 0x0060dd112233;

    int request(uint32_t request, void* structure, size_t length) override;
    int open(myri_endpoint_open& open, EndpointMemory& memory) override;
    void close(const myri_endpoint_ref& endpoint, EndpointMemory& memory) override;

private:
    static constexpr uint32_t entries = 256, receive_bytes = 64 << 10, send_bytes = 256 << 10;
    static constexpr uint32_t page_offset = entries * FW_EVENT_SIZE + receive_bytes + send_bytes;

    struct Window {
        uint16_t generation = 0;
        bool used = false;
        std::vector<myri_segment> segments;
        uint64_t length() const;
    };
    struct Endpoint {
        bool open = false;
        bool held = false; // until its process comes back
        uint32_t session = 0;
        alignas(8) uint8_t sram[FW_ENDPOINT_WINDOW_SIZE] = {};
        std::vector<uint8_t> rings;
        uint32_t bounce_bytes = 0, bounce_offset = 0;
        uint8_t* base = nullptr;
        myri_host_page* page() { return reinterpret_cast<myri_host_page*>(base + page_offset); }
        uint32_t slot_next = 0, events_written = 0, receive_position = 0, slots_done = 0, slots_told = 0;
        Window windows[FW_WINDOWS];
        uint16_t open_pulls[FW_PULLS] = {}; // generation, 0: free
    };
    struct Packet {
        wire_header header;
        std::vector<uint8_t> body; // as on the wire, without the gap: header, then data
        bool with_data = false;
    };
    struct PullState {
        uint32_t from;
        fw_pull_request request;
        uint32_t to;
        uint32_t to_session;
        unsigned left;
        uint64_t last_news;
    };


    void stand_still();
    int resume(uint32_t endpoint);
    void take_stores();
    void run_until(uint64_t time);
    void at(uint64_t time, std::function<void()> what) { queue_.emplace(time, std::move(what)); }
    void slots(uint32_t endpoint);
    void slot(uint32_t endpoint, const fw_slot& slot);
    void send(uint32_t from, uint8_t kind, const fw_slot& slot, std::vector<uint8_t> inline_body,
              std::vector<uint8_t> data);
    void arrive(uint32_t from, uint8_t kind, uint32_t to, uint32_t session, std::vector<uint8_t> body,
                std::vector<uint8_t> data);
    void nack(uint32_t from, uint32_t to, uint8_t kind, uint8_t reason, uint32_t session, uint16_t pull,
              uint16_t generation);
    bool event(uint32_t endpoint, fw_event event);
    void brief(uint32_t endpoint, fw_event_type type, uint32_t a, uint32_t b, uint32_t argument);
    void pull_deadline(std::shared_ptr<PullState> pull);
    void pull_block(std::shared_ptr<PullState> pull, uint32_t block, bool asked);
    static void each_byte_range(const Window& w, uint64_t offset, uint64_t bytes,
                                const std::function<void(uint8_t*, uint64_t)>& f);
    bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(random_) < p; }
    int register_window(myri_register& m);

    std::multimap<uint64_t, std::function<void()>> queue_;
    std::vector<Endpoint> endpoints_{FW_ENDPOINTS};
    myri_clock_page page_ = {};
    std::mt19937_64 random_;
    uint64_t time_ = 0; // of what is being carried out
    uint64_t wire_free_ = 0;
    bool changed_ = false;
    bool still_ = false;  // the card does nothing
    uint32_t dead_ = 0;
    uint32_t sessions_ = 0x1000;
    bool deaf_[FW_ENDPOINTS] = {};
};

} // namespace myri::test
