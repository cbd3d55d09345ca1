// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/config_space.h"

#include <linux/pci_regs.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "abi/lanai.h"

namespace myri::emulator::vfio {
namespace {

constexpr uint32_t CONTROL = LANAI_BAR0_CONTROL_WORD - LANAI_BAR0_CONTROL;
constexpr uint32_t PCIX = 0x48, MSI = 0x50;
constexpr uint32_t CLASS_NETWORK_OTHER = 0x028000;
constexpr uint16_t STATUS_ERRORS = PCI_STATUS_PARITY | PCI_STATUS_SIG_TARGET_ABORT | PCI_STATUS_REC_TARGET_ABORT |
                                   PCI_STATUS_REC_MASTER_ABORT | PCI_STATUS_SIG_SYSTEM_ERROR |
                                   PCI_STATUS_DETECTED_PARITY;
constexpr uint16_t COMMAND_BITS = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INVALIDATE |
                                  PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE;
constexpr uint32_t PCIX_MOST_4096 = 3u << 21; // status: designed for reads of 4096 bytes

void check(uint32_t offset, size_t bytes) {
    if (offset > ConfigSpace::SIZE || bytes > ConfigSpace::SIZE - offset)
        throw std::out_of_range("configuration space: " + std::to_string(bytes) + " bytes at " +
                                std::to_string(offset) + ": it has " + std::to_string(ConfigSpace::SIZE));
}

} // namespace

ConfigSpace::ConfigSpace(uint8_t revision) : revision_(revision) { reset(); }

void ConfigSpace::define(uint32_t offset, unsigned bytes, uint64_t value, uint64_t writable, uint64_t cleared_by_one) {
    for (unsigned n = 0; n < bytes; n++) {
        value_[offset + n] = static_cast<uint8_t>(value >> 8 * n);
        writable_[offset + n] = static_cast<uint8_t>(writable >> 8 * n);
        cleared_by_one_[offset + n] = static_cast<uint8_t>(cleared_by_one >> 8 * n);
    }
}

void ConfigSpace::reset() {
    define(PCI_VENDOR_ID, 2, LANAI_PCI_VENDOR);
    define(PCI_DEVICE_ID, 2, LANAI_PCI_DEVICE);
    define(PCI_COMMAND, 2, 0, COMMAND_BITS);
    define(PCI_STATUS, 2, PCI_STATUS_CAP_LIST | PCI_STATUS_66MHZ | PCI_STATUS_FAST_BACK | PCI_STATUS_DEVSEL_MEDIUM, 0,
           STATUS_ERRORS);
    define(PCI_CLASS_REVISION, 4, CLASS_NETWORK_OTHER << 8 | revision_);
    define(PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
    define(PCI_LATENCY_TIMER, 1, 0x40, 0xff);
    define(PCI_BASE_ADDRESS_0, 4, PCI_BASE_ADDRESS_MEM_PREFETCH, uint32_t{0} - LANAI_BAR0_SIZE);
    define(PCI_SUBSYSTEM_VENDOR_ID, 2, LANAI_PCI_VENDOR);
    define(PCI_SUBSYSTEM_ID, 2, LANAI_PCI_DEVICE);
    define(PCI_CAPABILITY_LIST, 1, PCIX);
    define(PCI_INTERRUPT_LINE, 1, 0, 0xff);
    define(PCI_INTERRUPT_PIN, 1, 1);

    define(PCIX + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_PCIX);
    define(PCIX + PCI_CAP_LIST_NEXT, 1, MSI);
    define(PCIX + PCI_X_CMD, 2, PCI_X_CMD_ERO,
           PCI_X_CMD_DPERR_E | PCI_X_CMD_ERO | PCI_X_CMD_MAX_READ | PCI_X_CMD_MAX_SPLIT);
    define(PCIX + PCI_X_STATUS, 4, PCI_X_STATUS_64BIT | PCI_X_STATUS_133MHZ | PCIX_MOST_4096, 0,
           PCI_X_STATUS_SPL_DISC | PCI_X_STATUS_UNX_SPL);

    define(MSI + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_MSI);
    define(MSI + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_64BIT, PCI_MSI_FLAGS_ENABLE);
    define(MSI + PCI_MSI_ADDRESS_LO, 4, 0, 0xfffffffc);
    define(MSI + PCI_MSI_ADDRESS_HI, 4, 0, 0xffffffff);
    define(MSI + PCI_MSI_DATA_64, 2, 0, 0xffff);
}

void ConfigSpace::read(uint32_t offset, std::span<uint8_t> out) const {
    check(offset, out.size());
    std::copy_n(value_.begin() + offset, out.size(), out.begin());
}

std::optional<uint32_t> ConfigSpace::write(uint32_t offset, std::span<const uint8_t> in) {
    check(offset, in.size());
    for (size_t n = 0; n < in.size(); n++) {
        const size_t at = offset + n;
        value_[at] = static_cast<uint8_t>((value_[at] & ~writable_[at]) | (in[n] & writable_[at]));
        value_[at] = static_cast<uint8_t>(value_[at] & ~(in[n] & cleared_by_one_[at]));
    }
    if (offset > CONTROL || offset + in.size() < CONTROL + 4)
        return std::nullopt;
    uint32_t control = 0;
    for (unsigned n = 0; n < 4; n++)
        control |= uint32_t{in[CONTROL - offset + n]} << 8 * n;
    return control;
}

uint32_t ConfigSpace::word(uint32_t offset) const {
    return value_[offset] | uint32_t{value_[offset + 1]} << 8 | uint32_t{value_[offset + 2]} << 16 |
           uint32_t{value_[offset + 3]} << 24;
}

bool ConfigSpace::bus_master() const { return word(PCI_COMMAND) & PCI_COMMAND_MASTER; }
bool ConfigSpace::intx_disabled() const { return word(PCI_COMMAND) & PCI_COMMAND_INTX_DISABLE; }

ConfigSpace::Msi ConfigSpace::msi() const {
    return {(value_[MSI + PCI_MSI_FLAGS] & PCI_MSI_FLAGS_ENABLE) != 0,
            uint64_t{word(MSI + PCI_MSI_ADDRESS_HI)} << 32 | word(MSI + PCI_MSI_ADDRESS_LO),
            static_cast<uint16_t>(word(MSI + PCI_MSI_DATA_64))};
}

uint32_t ConfigSpace::read_byte_count() const {
    return 512u << (value_[PCIX + PCI_X_CMD] & PCI_X_CMD_MAX_READ) / PCI_X_CMD_READ_1K;
}

void ConfigSpace::set_master_abort() { value_[PCI_STATUS + 1] |= PCI_STATUS_REC_MASTER_ABORT >> 8; }

void ConfigSpace::set_interrupt_status(bool on) {
    value_[PCI_STATUS] = static_cast<uint8_t>((value_[PCI_STATUS] & ~PCI_STATUS_INTERRUPT) |
                                              (on ? PCI_STATUS_INTERRUPT : 0));
}

} // namespace myri::emulator::vfio
