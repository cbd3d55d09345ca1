// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/interrupts.h"

namespace myri::emulator {

void Interrupts::latch(Time now, uint32_t bits) {
    latched_ |= bits & LANAI_ISR_LATCHED;
    update_line(now);
}

void Interrupts::store(Time now, uint32_t bits, bool by_host) {
    constexpr uint32_t requests = LANAI_ISR_REQ_ACK_0 | LANAI_ISR_REQ_ACK_1;
    const uint32_t set = by_host ? 0 : bits & requests;
    latched_ = (latched_ & ~bits) | set;
    update_line(now);
}

void Interrupts::enable_pci_interrupts(Time now, bool on) {
    pci_enabled_ = on;
    update_line(now);
}

void Interrupts::reset(Time now) {
    latched_ = 0;
    aisr_on = 0;
    update_line(now);
}

void Interrupts::update_line(Time now) {
    const bool line = pci_enabled_ && (latched_ & LANAI_ISR_REQ_ACK_0);
    if (line == line_)
        return;
    line_ = line;
    if (on_line)
        on_line(now, line);
}

} // namespace myri::emulator
