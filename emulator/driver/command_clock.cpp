// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/command_clock.h"

#include <algorithm>

#include "emulator/driver/client.h"
#include "emulator/driver/driver_service.h"

namespace myri::emulator {

CommandClock::CommandClock(DriverService& service, Patience& patience, unsigned host, std::string name, Time start,
                           Hooks hooks)
    : service_(service), patience_(patience), host_(host), name_(std::move(name)), hooks_(std::move(hooks)),
      held_(start) {}

Time CommandClock::clock() const {
    if (ended_)
        return NEVER;
    if (clients_.empty())
        return held_;
    Time first = NEVER;
    for (const auto& client : clients_)
        first = std::min(first, client->process().clock());
    return first;
}

void CommandClock::run(Time) {
    const Time now = clock();
    for (const auto& client : clients_)
        if (client->process().clock() == now) {
            const auto alive = client; // detaching ends the loop's hold on it
            alive->go(service_.horizon(*alive));
            patience_.wait([&] { return !alive->running(); }, [&] {
                return alive->describe() + " has long been outside the library at " +
                       service_.show(alive->process().last()) + " while others wait for it";
            });
            return;
        }
    patience_.wait([&] { return attached() || hooks_.exited(); }, [&] {
        return name_ + " holds time at " + service_.show(held_) + " until it starts a program that attaches, or ends";
    });
    if (!attached() && hooks_.exited()) {
        ended_ = true;
        hooks_.handed_over(held_);
        hooks_.ended();
    }
}

void CommandClock::attach(std::shared_ptr<Client> client) {
    hooks_.handed_over(held_);
    clients_.push_back(std::move(client));
}

void CommandClock::detach(const Client& client, Time now) {
    const auto found = std::ranges::find_if(clients_, [&](const auto& c) { return c.get() == &client; });
    if (found == clients_.end())
        return;
    clients_.erase(found);
    handed_over(now);
}

void CommandClock::handed_over(Time now) {
    held_ = std::max(held_, now);
    hooks_.handed_over(now);
}

bool CommandClock::waits_for_ever() const {
    return ended_ || (attached() && std::ranges::all_of(clients_, [](const auto& client) {
                          const VirtualProcess& p = client->process();
                          return p.clock() == NEVER && !(p.state() == VirtualProcess::State::parked &&
                                                         p.until() != NEVER);
                      }));
}

std::string CommandClock::describe() const {
    std::string text;
    for (const auto& client : clients_)
        text += (text.empty() ? "" : "; ") + client->describe() + " " + client->waits_for();
    return text.empty() ? name_ + (ended_ ? " has ended" : " holds time at " + service_.show(held_)) : text;
}

} // namespace myri::emulator
