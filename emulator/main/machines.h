// SPDX-License-Identifier: BSD-3-Clause
//
// All simulated machines of a fabric: hosts with their cards, links, crossbars and faults, and a driver for each host.
// Guests (virtual machines) come after them: they have a card of ours, and a driver of their own that boots it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/clock/timeline.h"
#include "emulator/driver/host_driver.h"
#include "emulator/fabric/fault_injector.h"
#include "emulator/fabric/network.h"
#include "emulator/faults/packet_trail.h"
#include "emulator/main/fabric_options.h"
#include "emulator/vfio_user/guest_host.h"

namespace myri::emulator {

class Machines {
public:
    // Builds and boots everything and sets the peer tables. `sessions_from_seed`: else from the system's
    // cryptographic generator. Throws std::runtime_error naming what is wrong.
    Machines(const FabricOptions& options, bool sessions_from_seed);

    Scheduler& scheduler() { return scheduler_; }
    Timeline& timeline() { return timeline_; }
    std::vector<HostDriver*> drivers();
    EmulatedHost& host(size_t n) { return *hosts_[n]; }
    size_t size() const { return hosts_.size(); }
    std::vector<GuestHost*> guests();
    std::map<std::string, CardOnCable> guest_cards();
    // Of hosts and guests, in order.
    const std::vector<Card*>& cards() const { return cards_; }
    // What each card's table should hold, seen from the card `from` of cards(): all of them, itself too.
    std::vector<myri_peer> peers(size_t from) const;
    // The moment after boot: virtual time as processes see it begins here.
    Time booted() const { return booted_; }
    // Cards whose processor has met something undefined or whose firmware has stopped by itself since the last call,
    // one line each.
    std::vector<std::string> new_stops();
    // Whether packets are subject to faults.
    bool faulty() const;
    // Follows each fault to its end, from now on.
    void follow_faults();
    // Nothing is under way any more; `verdicts` is what the libraries wrote (libmyri/verdicts.h).
    void end_faults(std::istream& verdicts);
    // Faults and packets, for people.
    std::string statistics() const;

private:
    const std::string& name(size_t n) const;
    void boot(const std::string& firmware);
    void set_peers();

    Scheduler scheduler_;
    Timeline timeline_{scheduler_};
    FaultInjector faults_;
    EventFaults event_faults_{faults_};
    std::vector<std::unique_ptr<PacketTrail>> trails_; // outlive the cards
    std::unique_ptr<Network> network_;
    std::vector<std::unique_ptr<EmulatedHost>> hosts_;
    std::vector<std::unique_ptr<HostDriver>> drivers_;
    std::vector<std::unique_ptr<GuestHost>> guests_;
    std::vector<Card*> cards_;
    std::vector<std::string> stops_told_;
    Time booted_ = 0;
};

} // namespace myri::emulator
