// SPDX-License-Identifier: BSD-3-Clause
//
// ISR, AISR and the PCI interrupt line. Latched bits stay until written with one; the others follow
// conditions that their units report with set_level(). All AISR bits follow conditions.
#pragma once

#include <cstdint>
#include <functional>

#include "abi/lanai.h"
#include "emulator/clock/scheduler.h"

namespace myri::emulator {

class Interrupts {
public:
    uint32_t isr() const { return latched_ | levels_ | (aisr_ & aisr_on ? LANAI_ISR_P0_EVENT : 0); }
    uint32_t aisr() const { return aisr_; }
    void latch(Time now, uint32_t bits);
    void set_level(uint32_t bits, bool on) { levels_ = on ? levels_ | bits : levels_ & ~bits; }
    void set_aisr(uint32_t bits, bool on) { aisr_ = on ? aisr_ | bits : aisr_ & ~bits; }
    // A store to ISR. REQ_ACK bits: the LANai sets them, the host clears them.
    void store(Time now, uint32_t bits, bool by_host);
    void enable_pci_interrupts(Time now, bool on);
    // An I/O reset: clears what is latched, keeps the levels.
    void reset(Time now);
    bool line() const { return line_; }

    uint32_t aisr_on = 0;                    // register AISR_ON
    std::function<void(Time, bool)> on_line; // called when the line's level changes

private:
    void update_line(Time now);

    uint32_t latched_ = 0, levels_ = 0, aisr_ = 0;
    bool pci_enabled_ = false, line_ = false;
};

} // namespace myri::emulator
