// SPDX-License-Identifier: BSD-3-Clause
//
// The virtual time of one command of a run: the processes that it starts, one after another or together.
//
// While none of its processes is attached and the command lives, it holds time at its last process's clock: what a
// shell does between two programs takes no virtual time, and nobody can overtake it. As an actor of the timeline it
// stands for all its processes; its turn comes when it is the earliest.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/clock/timeline.h"
#include "emulator/driver/patience.h"

namespace myri::emulator {

class Client;
class DriverService;

class CommandClock : public Actor {
public:
    struct Hooks {
        std::function<void(Time)> handed_over; // a process, or the command itself at its end, stands at this time
        std::function<bool()> exited;          // the command's process has ended
        std::function<void()> ended;           // ... and its time has come to say so
    };
    CommandClock(DriverService& service, Patience& patience, unsigned host, std::string name, Time start,
                 Hooks hooks);

    // Actor. The limit is not used: what a process may see is bounded by DriverService::horizon, and what it does
    // becomes events.
    Time clock() const override;
    Time lookahead() const override { return 1; } // stores are events at their own times, so cards stop at our clock
    void run(Time limit) override;

    void attach(std::shared_ptr<Client> client);
    // `now`: where the process stood at last.
    void detach(const Client& client, Time now);
    // Where the next process of this command begins, and where it stood last.
    Time held() const { return held_; }
    void handed_over(Time now);
    bool attached() const { return !clients_.empty(); }
    bool ended() const { return ended_; }
    // Waits for something that can still come by itself: a ring, and not a time.
    bool waits_for_ever() const;
    unsigned host() const { return host_; }
    const std::vector<std::shared_ptr<Client>>& clients() const { return clients_; }
    // Who it is and what it waits for, one line.
    std::string describe() const;

private:
    DriverService& service_;
    Patience& patience_;
    const unsigned host_;
    const std::string name_;
    const Hooks hooks_;
    std::vector<std::shared_ptr<Client>> clients_;
    Time held_;
    bool ended_ = false;
};

} // namespace myri::emulator
