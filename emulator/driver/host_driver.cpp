// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/host_driver.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "emulator/driver/seeded.h"

namespace myri::emulator {
namespace {

constexpr unsigned UNIT_DRIVER = 7; // its events come after those of the host's bus, card and interrupts
constexpr uint32_t EVENT_ENTRIES = 1024, RING_BYTES = 1u << 20; // if the process does not say

bool possible(uint32_t value, uint32_t low, uint32_t high) {
    return value >= low && value <= high && (value & (value - 1)) == 0;
}

bool complete_sizes(myri_endpoint_open& r) {
    r.event_entries = r.event_entries ? r.event_entries : EVENT_ENTRIES;
    r.receive_bytes = r.receive_bytes ? r.receive_bytes : RING_BYTES;
    r.send_bytes = r.send_bytes ? r.send_bytes : RING_BYTES;
    return possible(r.event_entries, 64, 16384) && possible(r.receive_bytes, 16u << 10, 16u << 20) &&
           possible(r.send_bytes, 16u << 10, 16u << 20);
}

// By the card, which was reset before it had carried out a command.
bool forgotten(int result) { return result == -ECANCELED || result == -ENODEV; }

} // namespace

HostDriver::HostDriver(Scheduler& scheduler, EmulatedHost& host, LinkPort& link, uint64_t seed)
    : scheduler_(scheduler), host_(host), link_(link), seed_(seed), rank_(host.number() * RANKS_PER_HOST + UNIT_DRIVER) {
    for (Endpoint& endpoint : endpoints_)
        endpoint.windows = std::make_unique<WindowTable>(host.memory());
}

HostDriver::Endpoint* HostDriver::owned(Owner owner, uint32_t endpoint) {
    return owns(owner, endpoint) ? &endpoints_[endpoint] : nullptr;
}

bool HostDriver::owns(Owner owner, uint32_t endpoint) const {
    return endpoint < FW_ENDPOINTS && endpoints_[endpoint].state == Endpoint::State::open &&
           endpoints_[endpoint].owner == owner;
}

EndpointMemory* HostDriver::memory(uint32_t endpoint) const {
    const bool open = endpoint < FW_ENDPOINTS && endpoints_[endpoint].state == Endpoint::State::open;
    return open ? endpoints_[endpoint].memory.get() : nullptr;
}

bool HostDriver::any_open() const {
    return std::ranges::any_of(endpoints_, [](const Endpoint& e) { return e.state == Endpoint::State::open; });
}

// Who opens an endpoint that is ending waits until the card has let go of it.
int HostDriver::choose(uint32_t wanted) const {
    const auto available = [](const Endpoint& e) {
        return e.state == Endpoint::State::free || (e.ending() && e.after_close.empty());
    };
    if (wanted != MYRI_ANY) {
        if (wanted >= FW_ENDPOINTS)
            return -EINVAL;
        return available(endpoints_[wanted]) ? static_cast<int>(wanted) : -EBUSY;
    }
    auto found = std::ranges::find(endpoints_, Endpoint::State::free, &Endpoint::state);
    if (found == endpoints_.end())
        found = std::ranges::find_if(endpoints_, available);
    return found == endpoints_.end() ? -EBUSY : static_cast<int>(found - endpoints_.begin());
}

uint32_t HostDriver::session(uint32_t endpoint, uint64_t opened) const {
    uint32_t value = 0;
    while (value == 0) {
        if (seed_)
            value = static_cast<uint32_t>(seeded({seed_, host_.number(), endpoint, opened}));
        else if (getrandom(&value, sizeof value, 0) != sizeof value)
            throw std::system_error(errno, std::generic_category(), "getrandom");
        opened += 1ull << 32;
    }
    return value;
}

void HostDriver::open(Time now, Owner owner, myri_endpoint_open request, RingRange::Changed changed, Opened done) {
    const int chosen = dead_ ? -ENODEV : choose(request.endpoint);
    if (chosen < 0 || !complete_sizes(request))
        return done(now, chosen < 0 ? chosen : -EINVAL, request, -1);
    request.endpoint = static_cast<uint32_t>(chosen);
    Endpoint& endpoint = endpoints_[request.endpoint];
    auto go = [this, owner, request, changed = std::move(changed), done = std::move(done)](Time when) {
        open_chosen(when, owner, request, changed, done);
    };
    if (endpoint.ending())
        endpoint.after_close.push_back(std::move(go));
    else
        go(now);
}

void HostDriver::open_chosen(Time now, Owner owner, myri_endpoint_open request, RingRange::Changed changed,
                             Opened done) {
    const uint32_t number = request.endpoint;
    Endpoint& endpoint = endpoints_[number];
    try {
        endpoint.memory = std::make_shared<EndpointMemory>(request);
    } catch (const std::system_error& error) {
        return done(now, -error.code().value(), request, -1);
    }
    endpoint.bounce = request.bounce_bytes ? std::make_shared<BounceArea>(endpoint.memory) : nullptr;
    endpoint.state = Endpoint::State::opening;
    endpoint.owner = owner;
    endpoint.abandoned = false;
    BusMap& bus = host_.memory();
    using Holds = RingRange::Holds;
    const auto map = [&](std::span<uint8_t> ring, Holds holds, RingRange::Changed hook) {
        endpoint.on_bus.push_back(
            bus.add(ring.size(), std::make_shared<RingRange>(endpoint.memory, ring, holds, std::move(hook))));
        return endpoint.on_bus.back();
    };
    endpoint.changed = changed;
    board_rings& rings = endpoint.rings;
    rings.event_ring = map(endpoint.memory->events(), Holds::events, std::move(changed));
    rings.receive_ring = map(endpoint.memory->receive(), Holds::message_data, {});
    rings.send_ring = map(endpoint.memory->send(), Holds::message_data, {});
    rings.event_entries = request.event_entries;
    rings.receive_size = request.receive_bytes;
    rings.send_size = request.send_bytes;
    rings.session = session(number, endpoint.opened++);
    request.session = rings.session;
    request.window_offset = host_.endpoint_windows() + uint64_t{number} * FW_ENDPOINT_WINDOW_SIZE;
    begin_open(now, request, done);
}

void HostDriver::begin_open(Time now, const myri_endpoint_open& request, const Opened& done) {
    const uint32_t number = request.endpoint;
    host_.set_now(now);
    const int status = dead_ ? -ENODEV : board_endpoint_set(&host_.board(), number, &endpoints_[number].rings);
    if (status) {
        closed(now, number);
        return done(now, status, request, -1);
    }
    host_.command(now, FW_COMMAND_OPEN, {number}, [this, number, request, done](Time when, int result, uint32_t) {
        Endpoint& opened = endpoints_[number];
        if (result == -ECANCELED)
            return begin_open(when, request, done);
        if (result || opened.abandoned) {
            begin_close(when, number, {});
            return done(when, result ? result : -ECANCELED, request, -1);
        }
        opened.state = Endpoint::State::open;
        done(when, 0, request, opened.memory->fd());
    });
}

void HostDriver::close(Time now, Owner owner, uint32_t endpoint, Done done) {
    if (owned(owner, endpoint))
        begin_close(now, endpoint, std::move(done));
    else
        done(now, -EINVAL);
}

void HostDriver::close_all(Time now, Owner owner) {
    for (uint32_t n = 0; n < FW_ENDPOINTS; n++) {
        if (endpoints_[n].owner != owner)
            continue;
        if (endpoints_[n].state == Endpoint::State::open)
            begin_close(now, n, {});
        else if (endpoints_[n].state == Endpoint::State::opening)
            endpoints_[n].abandoned = true;
    }
}

// A process's stores go before its driver's: the bus keeps their order.
void HostDriver::after_stores(Time now, std::function<void(Time)> action) {
    if (last_store_ > now)
        scheduler_.at(last_store_, rank_, std::move(action));
    else
        action(now);
}

void HostDriver::begin_close(Time now, uint32_t number, Done done) {
    endpoints_[number].state = Endpoint::State::closing;
    endpoints_[number].owner = 0;
    endpoints_[number].held = false;
    after_stores(now, [this, number, done = std::move(done)](Time when) {
        when_settled(when, [this, number, done](Time then) {
            const auto let_go = [this, number, done](Time end, int result, uint32_t) {
                closed(end, number);
                if (done)
                    done(end, forgotten(result) ? 0 : result);
            };
            if (dead_)
                return let_go(then, 0, 0);
            host_.set_now(then);
            board_endpoint_clear(&host_.board(), number);
            host_.command(then, FW_COMMAND_CLOSE, {number}, let_go);
        });
    });
}

void HostDriver::closed(Time now, uint32_t number) {
    Endpoint& endpoint = endpoints_[number];
    endpoint.windows->release_all();
    for (const uint64_t bus : endpoint.on_bus)
        host_.memory().remove(bus);
    endpoint.on_bus.clear();
    endpoint.bounce.reset();
    endpoint.memory.reset();
    endpoint.changed = {};
    endpoint.state = Endpoint::State::free;
    endpoint.owner = 0;
    for (auto& next : std::exchange(endpoint.after_close, {}))
        next(now);
}

int HostDriver::add_window(Time now, Owner owner, UserMemory* memory, myri_register& request) {
    Endpoint* endpoint = owned(owner, request.endpoint);
    const bool writable = request.flags & MYRI_REGISTER_WRITABLE, bounce = request.flags & MYRI_REGISTER_BOUNCE;
    if (!endpoint || (bounce && !endpoint->bounce))
        return -EINVAL;
    if (!bounce && (endpoint->bounce || !memory))
        return -EOPNOTSUPP;
    RegisteredMemory& where = bounce ? static_cast<RegisteredMemory&>(*endpoint->bounce) : *memory;
    WindowTable::Added added;
    if (const int status = endpoint->windows->add(where, {request.segment, request.count}, writable, added))
        return status;
    request.window = added.window;
    request.generation = added.generation;
    host_.set_now(now);
    const int status =
        board_window_set(&host_.board(), request.endpoint, added.window, added.generation, added.list, added.length, writable);
    if (status)
        endpoint->windows->release(added.window);
    return status;
}

void HostDriver::remove_window(Time now, Owner owner, const myri_unregister& request, Done done) {
    Endpoint* endpoint = owned(owner, request.endpoint);
    if (!endpoint || endpoint->windows->retire(request.window, request.generation) != 0)
        return done(now, -EINVAL);
    if (on_hold(*endpoint)) { // the card knows nothing of it
        endpoint->windows->release(request.window);
        return done(now, 0);
    }
    host_.set_now(now);
    if (const int status = board_window_clear(&host_.board(), request.endpoint, request.window))
        return done(now, status);
    // Commands are carried out in order, so a close that comes in between releases it after us.
    host_.command(now, FW_COMMAND_RETIRE_WINDOW, {request.endpoint, request.window},
                  [endpoint, window = request.window, done = std::move(done)](Time when, int result, uint32_t) {
                      endpoint->windows->release(window);
                      done(when, forgotten(result) ? 0 : result);
                  });
}

void HostDriver::store(Time when, uint32_t endpoint, uint32_t offset, std::vector<uint8_t> bytes) {
    const uint32_t sram = host_.endpoint_windows() + endpoint * FW_ENDPOINT_WINDOW_SIZE + offset;
    // The bus is asked at `when`, not now: until then other traffic may still take it.
    scheduler_.at(when, rank_, [this, sram, bytes = std::move(bytes)](Time now) mutable {
        const Time arrival = host_.bus().posted_write(now, static_cast<uint32_t>(bytes.size()));
        last_store_ = std::max(last_store_, arrival);
        scheduler_.at(arrival, rank_, [this, sram, bytes = std::move(bytes)](Time there) {
            host_.card().sram_write(there, sram, bytes);
        });
    });
}

} // namespace myri::emulator
