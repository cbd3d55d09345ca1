// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/driver_service.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace myri::emulator {
namespace {

Time per_byte(double gb_s) { return static_cast<Time>(std::llround(1000 / gb_s)); }

} // namespace

DriverService::DriverService(EventLoop& loop, Scheduler& scheduler, std::vector<HostDriver*> hosts,
                             FileDescriptor listener, const Options& options)
    : loop_(loop), scheduler_(scheduler), hosts_(std::move(hosts)), listener_(std::move(listener)), options_(options),
      store_order_(options.shuffle_stores ? std::optional(options.seed) : std::nullopt) {
    loop_.watch(listener_.get(), [this] { accept_all(); });
    for (HostDriver* host : hosts_) {
        host->host().set_wake_handler([this](Time, unsigned) { activity_ = true; });
        host->set_news_handler([this] { activity_ = true; });
    }
}

DriverService::~DriverService() { shut(); }

void DriverService::shut() {
    loop_.forget(listener_.get());
    listener_.reset();
    while (!clients_.empty())
        drop(*clients_.back());
}

void DriverService::set_commands(std::vector<CommandClock*> commands, std::function<CommandClock*(pid_t)> whose) {
    commands_ = std::move(commands);
    whose_ = std::move(whose);
}

void DriverService::accept_all() {
    for (;;) {
        FileDescriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket)
            return; // all are accepted, or no descriptor is left: the next ones wait in the queue
        ucred peer{};
        socklen_t length = sizeof peer;
        if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
            continue;
        const auto client = std::make_shared<Client>(*this, std::move(socket), peer);
        clients_.push_back(client);
        loop_.watch(client->socket(), [client] { client->readable(); });
    }
}

void DriverService::watch_process(const std::shared_ptr<Client>& client) {
    loop_.watch(client->pidfd(), [this, client] { drop(*client); });
}

void DriverService::drop(Client& client) {
    const auto found = std::ranges::find_if(clients_, [&](const auto& c) { return c.get() == &client; });
    if (found == clients_.end())
        return;
    const auto alive = *found; // until the end of this function
    clients_.erase(found);
    loop_.forget(client.socket());
    if (client.pidfd() >= 0)
        loop_.forget(client.pidfd());
    client.end();
}

void DriverService::drop_ended() {
    for (const auto& client : std::vector(clients_)) {
        pollfd process{client->pidfd(), POLLIN, 0};
        if (process.fd >= 0 && poll(&process, 1, 0) == 1)
            drop(*client);
    }
}

HostDriver* DriverService::host(const std::string& name) const {
    const auto found = std::ranges::find_if(hosts_, [&](HostDriver* h) { return h->host().name() == name; });
    return found == hosts_.end() ? nullptr : *found;
}

const CardOnCable* DriverService::guest(const std::string& name) const {
    const auto found = guests_.find(name);
    return found == guests_.end() ? nullptr : &found->second;
}

std::string DriverService::host_names() const {
    std::string names;
    for (HostDriver* host : hosts_)
        names += (names.empty() ? "" : " ") + host->host().name();
    return names;
}

bool DriverService::known(pid_t pid, const Client& except) const {
    return std::ranges::any_of(clients_, [&](const auto& c) {
        return c.get() != &except && c->attached() && c->pid() == pid;
    });
}

Time DriverService::own_effect(HostDriver& driver) const {
    EmulatedHost& host = driver.host();
    const HostProfile& p = host.profile();
    // The store takes its overhead and at least one clock of data; the card reacts at once at best.
    return (p.posted_overhead_clocks + 1) * p.clock_ps() + nanoseconds(p.posted_latency_ns) + host.bus().lookahead();
}

myri_costs DriverService::costs(HostDriver& driver) const {
    const HostProfile& p = driver.host().profile();
    myri_costs c{};
    c.call_send = nanoseconds(p.call_send_ns);
    c.call_receive = nanoseconds(p.call_receive_ns);
    c.poll = nanoseconds(p.poll_ns);
    c.store = nanoseconds(p.store_ns);
    c.copy_byte = per_byte(p.memcpy_gb_s);
    c.crc_byte = per_byte(p.crc32c_gb_s);
    c.own_effect = own_effect(driver);
    c.call_driver = CALL_DRIVER;
    return c;
}

Time DriverService::present() const {
    Time present = scheduler_.now();
    for (HostDriver* host : hosts_)
        if (const Time clock = host->host().card().clock(); clock != NEVER)
            present = std::max(present, clock);
    return present;
}

Time DriverService::horizon(const Client& client) const {
    Time safe = scheduler_.next_effect();
    for (HostDriver* host : hosts_) {
        const Card& card = host->host().card();
        const Time clock = card.clock();
        if (clock != NEVER)
            safe = std::min(safe, clock + card.lookahead());
    }
    const auto bound = [&](Time clock, unsigned from) {
        if (clock != NEVER)
            safe = std::min(safe, clock + own_effect(*hosts_[from]));
    };
    for (const CommandClock* command : commands_) {
        if (!command->attached())
            bound(command->clock(), command->host());
        for (const auto& other : command->clients())
            if (other.get() != &client)
                bound(other->process().clock(), other->host_number());
    }
    return safe;
}

std::string DriverService::show(Time when) const {
    const Time t = when - std::min(when, options_.base);
    return std::to_string(t / 1000) + "." + std::to_string(t % 1000 + 1000).substr(1) + " ns";
}

bool DriverService::any_endpoint() const {
    return std::ranges::any_of(hosts_, [](const HostDriver* h) { return h->any_open(); });
}

void DriverService::set_asleep(bool asleep) {
    for (HostDriver* host : hosts_)
        for (uint32_t n = 0; n < FW_ENDPOINTS; n++)
            if (EndpointMemory* memory = host->memory(n))
                memory->set_asleep(asleep);
}

int64_t DriverService::check_waits() {
    const int64_t now = wall_us();
    int64_t next = -1;
    for (const auto& client : std::vector(clients_))
        if (const auto left = client->check_waits(now))
            next = next < 0 ? *left : std::min(next, *left);
    return next;
}

} // namespace myri::emulator
