// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/card_profile.h"

#include "emulator/data_files.h"

namespace myri::emulator {

CardProfile load_card_profile(const std::string& name) {
    DataFile file("cards", name);
    const auto whole = [&](const char* field, uint64_t low, uint64_t high) {
        return static_cast<uint32_t>(file.integer(field, low, high));
    };
    CardProfile p;
    p.name = name;
    p.product_code = file.text("product_code", 40);
    p.part_number = file.text("part_number", 40);
    p.pci_revision = static_cast<uint8_t>(whole("pci_revision", 0, 255));
    p.ports = whole("ports", 1, 2);
    p.sram_bytes = whole("sram_kib", 1024, 8192) * 1024; // drivers accept 1 MiB and more
    p.lanai_khz = whole("lanai_khz", 1000, 1'000'000);
    p.cpu.load_use_stall = whole("load_use_stall", 0, 10);
    p.cpu.subword_extra = whole("subword_extra", 0, 10);
    p.cpu.data_access_extra = whole("data_access_extra", 0, 10);
    p.dma_fetch_cycles = whole("dma_fetch_cycles", 0, 1000);
    p.dma_done_cycles = whole("dma_done_cycles", 0, 1000);
    p.send_start_cycles = whole("send_start_cycles", 0, 1000);
    p.receive_done_cycles = whole("receive_done_cycles", 0, 1000);
    file.finish();
    return p;
}

} // namespace myri::emulator
