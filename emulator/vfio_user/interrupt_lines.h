// SPDX-License-Identifier: BSD-3-Clause
//
// How interrupts of the card reach the client: eventfds, which change at each reset and each switch between MSI and
// INTx.
//
// MSI: a message that finds no eventfd is kept and delivered when one is attached. INTx: firing masks the line until
// the client unmasks it; then it fires again if the card's level is still high.
#pragma once

#include "emulator/driver/file_descriptor.h"

namespace myri::emulator::vfio {

class InterruptLines {
public:
    // Whether the kernel says that this is an eventfd: nothing else is written to.
    static bool is_eventfd(const FileDescriptor& descriptor);

    // The card's side.
    void set_level(bool high);
    bool level() const { return level_; }
    void message();
    // What configuration space allows.
    void allow(bool intx, bool msi);

    // The client's side. Replaces an eventfd that was there.
    void attach_intx(FileDescriptor eventfd);
    void attach_msi(FileDescriptor eventfd);
    void detach_intx() { intx_.reset(); }
    void detach_msi() { msi_.reset(); }
    void mask_intx() { masked_ = true; }
    void unmask_intx();
    // The client asks for an interrupt as if the card had raised it.
    void trigger_intx();
    void trigger_msi() { signal(msi_); }
    // The device was reset: nothing is pending or masked. Eventfds stay.
    void reset();
    // The client is gone.
    void drop();

private:
    static void signal(const FileDescriptor& eventfd);
    void fire_intx();

    FileDescriptor intx_, msi_;
    bool level_ = false, masked_ = false, pending_ = false;
    bool intx_allowed_ = true, msi_allowed_ = false;
};

} // namespace myri::emulator::vfio
