// SPDX-License-Identifier: BSD-3-Clause
//
// A host of the network that is a virtual machine: the bus and the card in it. The guest's own driver boots the card;
// we only learn from SRAM what it did.
//
// The guest stores into mapped SRAM without telling anybody. While its firmware runs, somebody must make the idle card
// look again (touch) now and then: `watched` says how often that is worth it.
#pragma once

#include <string>

#include "emulator/clock/timeline.h"
#include "emulator/fabric/link_port.h"
#include "emulator/host/host_profile.h"
#include "emulator/host/pci_bus.h"
#include "emulator/nic/card.h"
#include "emulator/vfio_user/device.h"
#include "emulator/vfio_user/guest_bus.h"

namespace myri::emulator {

class GuestHost {
public:
    GuestHost(Scheduler& scheduler, Timeline& timeline, unsigned number, std::string name, const CardProfile& card,
              const HostProfile& host, LinkPort& link, const Card::Identity& identity);
    ~GuestHost();

    const std::string& name() const { return name_; }
    Card& card() { return *card_; }
    PciBus& bus() { return *bus_; }
    vfio::Device& device() { return *device_; }
    vfio::GuestMemory& memory() { return memory_; }
    // The time at which accesses of the guest reach the card; the scheduler's until this is called.
    void set_now(std::function<Time()> now) { now_ = std::move(now); }

    // The client has gone: its memory and eventfds too, and the card is reset.
    void unplug();

    // Looks at what the firmware is doing.
    enum class Watch {
        none,     // no firmware runs: nothing happens in SRAM unnoticed
        commands, // only the driver may ask for something
        requests, // endpoints are open
    };
    Watch look();
    // Set by each message of the client.
    void note_activity() { activity_ = true; }
    bool take_activity() { return std::exchange(activity_, false); }

private:
    void reconfigured();

    Scheduler& scheduler_;
    Timeline& timeline_;
    const std::string name_;
    HostProfile profile_;
    vfio::ConfigSpace config_;
    vfio::GuestMemory memory_;
    vfio::InterruptLines interrupts_;
    vfio::GuestBus bus_memory_{config_, memory_, interrupts_};
    std::unique_ptr<PciBus> bus_;
    std::unique_ptr<Card> card_;
    std::unique_ptr<vfio::Device> device_;
    std::function<Time()> now_;
    bool idle_known_ = false; // the card knows the running firmware's idle loop
    bool activity_ = false;
};

} // namespace myri::emulator
