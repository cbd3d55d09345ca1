// SPDX-License-Identifier: BSD-3-Clause
//
// What a driver does for the processes of one host: endpoints, registered memory, peer table, counters. It knows
// nothing of sockets and clocks; an owner is a number that its caller gives to a process.
//
// Every call happens at a virtual time that the simulation has reached; the card is touched at that time. What the
// firmware must carry out ends later, in a callback; -ECANCELED there: the card has been restarted meanwhile and has
// forgotten it. Status values are 0 or a negative errno (abi/driver.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/driver.h"
#include "emulator/driver/bounce_area.h"
#include "emulator/driver/endpoint_memory.h"
#include "emulator/driver/inject.h"
#include "emulator/driver/user_memory.h"
#include "emulator/driver/window_table.h"
#include "emulator/fabric/link_port.h"
#include "emulator/host/emulated_host.h"

namespace myri::emulator {

class HostDriver {
public:
    using Owner = uint64_t; // 0: nobody
    using Done = std::function<void(Time, int status)>;
    // `seed` gives the sessions; 0: they come from the system's cryptographic generator.
    HostDriver(Scheduler& scheduler, EmulatedHost& host, LinkPort& link, uint64_t seed);
    ~HostDriver() { host_.abandon(); }

    // ---- failure and recovery: host_driver_recovery.cpp ----
    // From now on the card is looked at: if it has failed it is started anew, and its endpoints live on; if it fails
    // again soon it is dead. `limit_ms`: how long its heartbeat may stand still, at least BOARD_WATCH_LIMIT_MIN_MS.
    void watch(Time now, uint32_t limit_ms);
    // An errno: why the card has failed for good. 0: it has not.
    uint32_t dead() const { return dead_; }
    // Calls `action` now, or when the card has been started anew or is dead. Requests that touch the card go through
    // this: below, it is either at work or dead (-ENODEV, but closing and unregistering succeed).
    void when_settled(Time now, std::function<void(Time)> action);
    // The process has its endpoint back: event ring and SRAM window are empty. -EINVAL unless the card was restarted.
    void resume(Time now, Owner owner, uint32_t endpoint, Done done);
    // The host page says something that MYRI_ENDPOINT_RESUME has not answered yet.
    bool has_news(uint32_t endpoint) const;
    // Called when a host page has news.
    void set_news_handler(std::function<void()> handler) { news_ = std::move(handler); }
    // Makes a fault happen. 0, -EOPNOTSUPP or -EINVAL as MYRI_INJECT.
    int inject(Time now, uint32_t fault, uint32_t value) { return inject_fault(now, host_.card(), link_, fault, value); }

    EmulatedHost& host() { return host_; }
    void board_info(myri_board_info& info);
    void counters(Time now, myri_counters& counters);

    // The peer table. -EINVAL with the board's words in host().last_words().
    void set_peers(Time now, std::vector<myri_peer> peers, Done done);
    const std::vector<myri_peer>& peers() const { return peers_; }

    // Opens an endpoint, with a bounce area if the request says how long: `done` gets the completed request and the descriptor of the rings, which stays ours.
    // `changed` is called when the card has written into the event ring.
    using Opened = std::function<void(Time, int status, const myri_endpoint_open&, int rings)>;
    void open(Time now, Owner owner, myri_endpoint_open request, RingRange::Changed changed, Opened done);
    // -EINVAL if it is not the owner's.
    void close(Time now, Owner owner, uint32_t endpoint, Done done);
    // The owner has gone: closes all that it had. Its endpoints can be opened again at once; such an open ends
    // after the close.
    void close_all(Time now, Owner owner);
    bool owns(Owner owner, uint32_t endpoint) const;
    // Null if it is not open.
    EndpointMemory* memory(uint32_t endpoint) const;
    bool any_open() const;

    // Registers what `request` says: in `memory` (null: the owner has given none), or in the endpoint's bounce area.
    int add_window(Time now, Owner owner, UserMemory* memory, myri_register& request);
    void remove_window(Time now, Owner owner, const myri_unregister& request, Done done);

    void dmabench(Time now, myri_dmabench request,
                  std::function<void(Time, int status, const myri_dmabench&)> done);

    // A burst of at most 64 bytes leaves the CPU for the SRAM window of an endpoint at `when`, now or later.
    void store(Time when, uint32_t endpoint, uint32_t offset, std::vector<uint8_t> bytes);
    // Rank of this driver's events.
    Rank rank() const { return rank_; }

private:
    struct Endpoint {
        enum class State { free, opening, open, closing } state = State::free;
        Owner owner = 0;
        uint64_t opened = 0; // times; sessions differ
        std::shared_ptr<EndpointMemory> memory;
        std::shared_ptr<BounceArea> bounce; // null: none
        std::vector<uint64_t> on_bus;
        RingRange::Changed changed;
        board_rings rings{};
        bool held = false; // the card was restarted, and the process has not come back yet
        std::unique_ptr<WindowTable> windows;
        bool abandoned = false; // its owner went while it was being opened
        std::vector<std::function<void(Time)>> after_close;
        // It has no owner any more, but the card has not let go of it.
        bool ending() const { return state == State::closing || (state == State::opening && abandoned); }
    };
    Endpoint* owned(Owner owner, uint32_t endpoint);
    int choose(uint32_t wanted) const;
    uint32_t session(uint32_t endpoint, uint64_t opened) const;
    void open_chosen(Time now, Owner owner, myri_endpoint_open request, RingRange::Changed changed, Opened done);
    void begin_open(Time now, const myri_endpoint_open& request, const Opened& done);
    void begin_close(Time now, uint32_t endpoint, Done done);
    void closed(Time now, uint32_t endpoint);
    void after_stores(Time now, std::function<void(Time)> action);
    bool on_hold(const Endpoint& endpoint) const { return endpoint.held || dead_; }
    int write_peers();
    void look(Time now);
    void failed(Time now, int failure);
    void recover(int failure, bool again);
    void hold_endpoints();
    void settled(Time now);
    void tell_processes(Time now);

    Scheduler& scheduler_;
    EmulatedHost& host_;
    LinkPort& link_;
    const uint64_t seed_;
    const Rank rank_;
    std::array<Endpoint, FW_ENDPOINTS> endpoints_;
    std::vector<myri_peer> peers_;
    Time last_store_ = 0; // when the latest programmed store is in the card

    enum class Card { works, boots, returns, dead } card_ = Card::works; // returns: booted, its peer table to come
    uint32_t dead_ = 0;
    uint32_t limit_ms_ = 0;
    board_watchdog watch_{};
    Time failed_at_ = NEVER; // last time
    std::vector<EmulatedHost::CommandDone> given_up_; // commands under way when the card failed
    std::vector<std::function<void(Time)>> waiting_;  // for the card to settle
    std::function<void()> news_;
};

} // namespace myri::emulator
