// SPDX-License-Identifier: BSD-3-Clause
//
// The clock page of one process in virtual time: its stores into SRAM windows, as records with times, between two
// hand-overs (struct myri_clock_page). The process can write it at any moment, so it is copied before it is judged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/driver.h"
#include "emulator/clock/scheduler.h"
#include "emulator/driver/file_descriptor.h"

namespace myri::emulator {

struct Store {
    Time when = 0;         // as the process counts time
    uint32_t endpoint = 0; // board << 16 | endpoint
    uint32_t offset = 0;
    std::vector<uint8_t> bytes; // empty: a barrier
};

class ClockPage {
public:
    // Throws std::system_error if the system refuses the memory.
    ClockPage();
    ~ClockPage();
    ClockPage(const ClockPage&) = delete;
    ClockPage& operator=(const ClockPage&) = delete;
    int fd() const { return fd_.get(); }
    // Takes all records and empties the page. Their times must not fall and lie between `earliest` and `latest`.
    // Empty if all is well; otherwise what is wrong, and no store is given.
    std::string take(Time earliest, Time latest, std::vector<Store>& stores);

private:
    FileDescriptor fd_;
    myri_clock_page* page_ = nullptr;
};

} // namespace myri::emulator
