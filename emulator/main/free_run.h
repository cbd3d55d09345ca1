// SPDX-License-Identifier: BSD-3-Clause
//
// The simulation when it runs free: as fast as it goes, but its time never runs ahead of wall time, so that a
// firmware timer gives a slow process the time that it would have.
//
// Processes store into SRAM without telling anybody. While there is something to do, idle cards are made to look
// again and again; after a short while of nothing, `card_asleep` is set, the cards look once more, and the thread
// sleeps until a request, or until the next timer is due. Guests have no `card_asleep`: while a guest's firmware runs,
// the thread only naps (emulator/vfio_user/naps.h).
#pragma once

#include <functional>

#include "emulator/driver/driver_service.h"
#include "emulator/driver/patience.h"
#include "emulator/main/machines.h"
#include "emulator/vfio_user/naps.h"

namespace myri::emulator {

class FreeRun {
public:
    FreeRun(Machines& machines, DriverService& service, EventLoop& loop, Patience& patience);
    ~FreeRun();
    // Runs until `over` says so or patience has ended.
    void until(const std::function<bool()>& over);

private:
    Time present() const { return present_; }
    Time wall_time() const;
    void advance();
    bool quiet() const;
    void touch_cards();
    bool look_at_guests();
    void check_waits();
    bool sleep();

    Machines& machines_;
    DriverService& service_;
    EventLoop& loop_;
    Patience& patience_;
    const std::vector<GuestHost*> guests_;
    GuestHost::Watch watch_ = GuestHost::Watch::none; // the most that a guest needs
    Naps naps_;
    Time present_;
    int64_t wait_over_ = -1; // wall time when the next MYRI_WAIT is over; -1: none
    Time last_event_ = 0; // as quiet() knows it
    Time anchor_;         // virtual time ...
    int64_t anchor_wall_; // ... at this wall time, in microseconds
};

} // namespace myri::emulator
