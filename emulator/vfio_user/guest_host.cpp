// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/guest_host.h"

#include <algorithm>
#include <utility>

#include "emulator/vfio_user/firmware_state.h"

namespace myri::emulator {
namespace {

enum Unit : unsigned { UNIT_BUS = 0, UNIT_CARD = 1 }; // as those of an emulated host

} // namespace

GuestHost::GuestHost(Scheduler& scheduler, Timeline& timeline, unsigned number, std::string name,
                     const CardProfile& card, const HostProfile& host, LinkPort& link, const Card::Identity& identity)
    : scheduler_(scheduler), timeline_(timeline), name_(std::move(name)), profile_(host), config_(card.pci_revision),
      bus_(std::make_unique<PciBus>(scheduler, number * RANKS_PER_HOST + UNIT_BUS, profile_, bus_memory_)),
      card_(std::make_unique<Card>(scheduler, number * RANKS_PER_HOST + UNIT_CARD, card, identity, *bus_, link)) {
    vfio::Device::Hooks hooks;
    hooks.now = [this] { return now_ ? now_() : scheduler_.now(); };
    hooks.reconfigured = [this] { reconfigured(); };
    // Perhaps another firmware runs next.
    hooks.controlled = [this] {
        card_->watch_idle(0);
        idle_known_ = false;
    };
    device_ = std::make_unique<vfio::Device>(*card_, config_, interrupts_, std::move(hooks));
    timeline_.add(*card_);
    reconfigured();
}

GuestHost::~GuestHost() { timeline_.remove(*card_); }

void GuestHost::reconfigured() {
    const bool msi = config_.msi().enabled;
    interrupts_.allow(!msi && !config_.intx_disabled(), msi);
    bus_->set_read_limit(std::min(profile_.read_limit, config_.read_byte_count()));
}

void GuestHost::unplug() {
    memory_.clear();
    interrupts_.drop();
    device_->reset();
}

GuestHost::Watch GuestHost::look() {
    if (!card_->running() || !vfio::firmware_runs(card_->sram()))
        return Watch::none;
    if (!std::exchange(idle_known_, true))
        card_->watch_idle(vfio::firmware_idle_loop(card_->sram()));
    return vfio::any_endpoint_open(card_->sram()) ? Watch::requests : Watch::commands;
}

} // namespace myri::emulator
