// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/guest_bus.h"

namespace myri::emulator::vfio {

// Nobody answers the address: the card's status says so.
bool GuestBus::found(bool there) {
    if (!there)
        config_.set_master_abort();
    return there;
}

bool GuestBus::dma_read(Time, uint64_t bus, std::span<uint8_t> out) {
    if (!config_.bus_master())
        return false;
    return found(out.empty() ? memory_.readable(bus) : memory_.read(bus, out));
}

bool GuestBus::dma_write(Time, uint64_t bus, std::span<const uint8_t> in) {
    if (!config_.bus_master())
        return false;
    const ConfigSpace::Msi msi = config_.msi();
    if (msi.enabled && bus - msi.address < 4) {
        // Anything but the programmed message would be another interrupt, or none.
        if (in.size() == 4 && bus == msi.address && (in[0] | in[1] << 8) == msi.data && in[2] == 0 && in[3] == 0)
            interrupts_.message();
        return true;
    }
    return found(in.empty() ? memory_.writable(bus) : memory_.write(bus, in));
}

} // namespace myri::emulator::vfio
