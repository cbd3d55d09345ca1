// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/firmware_state.h"

#include <cstddef>
#include <cstring>

#include "abi/firmware.h"

namespace myri::emulator::vfio {
namespace {

uint32_t word(std::span<const uint8_t> sram, uint64_t offset) {
    be32 value{};
    if (offset % 4 == 0 && offset + sizeof value <= sram.size())
        std::memcpy(&value, &sram[offset], sizeof value);
    return be32_to_cpu(value);
}

} // namespace

bool firmware_runs(std::span<const uint8_t> sram) {
    return word(sram, FW_GLOBALS + offsetof(fw_globals, magic)) == FW_MAGIC &&
           word(sram, FW_GLOBALS + offsetof(fw_globals, abi_version)) == FW_ABI_VERSION &&
           word(sram, FW_GLOBALS + offsetof(fw_globals, status)) == FW_STATUS_RUN;
}

uint32_t firmware_idle_loop(std::span<const uint8_t> sram) {
    const uint32_t address = word(sram, FW_GLOBALS + offsetof(fw_globals, idle_loop));
    return address % 4 == 0 && address < sram.size() ? address : 0;
}

bool any_endpoint_open(std::span<const uint8_t> sram) {
    const uint64_t table = word(sram, FW_GLOBALS + offsetof(fw_globals, endpoints));
    for (uint64_t n = 0; n < FW_ENDPOINTS; n++)
        if (word(sram, table + n * sizeof(fw_endpoint) + offsetof(fw_endpoint, state)) != FW_ENDPOINT_CLOSED)
            return true;
    return false;
}

} // namespace myri::emulator::vfio
