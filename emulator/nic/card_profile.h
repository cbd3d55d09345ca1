// SPDX-License-Identifier: BSD-3-Clause
//
// A card profile: one kind of Myrinet-2000 card, read from emulator/data/cards/.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/cpu/cpu.h"

namespace myri::emulator {

struct CardProfile {
    std::string name;         // M3F-PCIXD-2, M3F2-PCIXE-2, M3F-PCIXF-2
    std::string product_code; // EEPROM PC=
    std::string part_number;  // EEPROM PN=
    uint8_t pci_revision = 4;
    uint32_t ports = 1;
    uint32_t sram_bytes = 2u << 20;
    uint32_t lanai_khz = 225'000;
    CpuTiming cpu;
    uint32_t dma_fetch_cycles = 0;    // reading a DMA descriptor before the bus is asked
    uint32_t dma_done_cycles = 0;     // last bus clock -> ISR.DMAn_DONE
    uint32_t send_start_cycles = 0;   // descriptor pushed -> first byte enters the serialiser
    uint32_t receive_done_cycles = 0; // last byte out of the deserialiser -> descriptor in SRAM, ISR set
};

// Reads NAME.json from the data folder. Throws std::runtime_error naming the file, field, value and range.
CardProfile load_card_profile(const std::string& name);

} // namespace myri::emulator
