// SPDX-License-Identifier: BSD-3-Clause
//
// The user-space driver of the emulator: accepts processes on a Unix socket and serves abi/driver.h to them.
//
// One thread. In virtual time each process belongs to a command of the run (CommandClock), and acts only in its
// turn. Free running, requests are carried out as they come.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emulator/driver/client.h"
#include "emulator/driver/command_clock.h"
#include "emulator/driver/event_loop.h"
#include "emulator/driver/store_order.h"

namespace myri::emulator {

class DriverService {
public:
    struct Options {
        bool virtual_time = true;
        uint64_t seed = 1;
        Time base = 0; // the moment that processes call 0
        bool shuffle_stores = false;
    };
    // `listener`: a listening SOCK_SEQPACKET socket. The hosts are named n0, n1, ... in order.
    DriverService(EventLoop& loop, Scheduler& scheduler, std::vector<HostDriver*> hosts, FileDescriptor listener,
                  const Options& options);
    ~DriverService();
    // Ends all connections and takes no more.
    void shut();

    // Cards without a driver here, by host: who attaches there finds no board, but can ask for faults.
    void set_guests(std::map<std::string, CardOnCable> guests) { guests_ = std::move(guests); }

    // Virtual time: all commands, in the order of their ranks; and whose a process is (null: nobody's).
    void set_commands(std::vector<CommandClock*> commands, std::function<CommandClock*(pid_t)> whose);
    // Free running: the time at which requests are carried out.
    void set_now(std::function<Time()> now) { now_ = std::move(now); }

    // The earliest time at which anything that this process can see may change.
    Time horizon(const Client& client) const;
    // Virtual time as processes count it, for people.
    std::string show(Time when) const;

    // Free running: endpoints that processes have open. Answers waits that are over; microseconds until the next is
    // over, -1 if there is none.
    bool any_endpoint() const;
    void set_asleep(bool asleep);
    int64_t check_waits();
    // Set by MYRI_WAKE and by every other request.
    bool take_activity() { return std::exchange(activity_, false); }
    uint64_t hand_overs() const { return hand_overs_; }

    // For Client.
    // Entering and leaving the driver: a system call and the driver's own work. No published source.
    static constexpr Time CALL_DRIVER = microseconds(1);
    const Options& options() const { return options_; }
    Scheduler& scheduler() { return scheduler_; }
    Time now() const { return now_ ? now_() : scheduler_.now(); }
    HostDriver* host(const std::string& name) const;
    const CardOnCable* guest(const std::string& name) const; // null: none
    std::string host_names() const;
    CommandClock* command_of(pid_t pid) const { return whose_ ? whose_(pid) : nullptr; }
    bool known(pid_t pid, const Client& except) const;
    void watch_process(const std::shared_ptr<Client>& client);
    void drop(Client& client);
    // Those whose process has ended, though we have not been told yet: its endpoints are free as soon as it is.
    void drop_ended();
    StoreOrder& store_order() { return store_order_; }
    myri_costs costs(HostDriver& host) const;
    Time own_effect(HostDriver& host) const;
    // No processor and no event is later than this.
    Time present() const;
    void count_hand_over() { hand_overs_++; }
    void note_activity() { activity_ = true; }

private:
    void accept_all();
    EventLoop& loop_;
    Scheduler& scheduler_;
    const std::vector<HostDriver*> hosts_;
    std::map<std::string, CardOnCable> guests_;
    FileDescriptor listener_;
    const Options options_;
    StoreOrder store_order_;
    std::vector<CommandClock*> commands_;
    std::function<CommandClock*(pid_t)> whose_;
    std::function<Time()> now_;
    std::vector<std::shared_ptr<Client>> clients_; // in the order in which they came
    uint64_t hand_overs_ = 0;
    bool activity_ = false;
};

} // namespace myri::emulator
