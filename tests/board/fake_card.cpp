// SPDX-License-Identifier: BSD-3-Clause
#include "tests/board/fake_card.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace {

FakeCard& card(void* context) {
    return *static_cast<FakeCard*>(context);
}

std::string text(const char* format, auto... values) {
    char buffer[100];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return buffer;
}

void check_range(const FakeCard& c, uint32_t offset, uint32_t length) {
    if (offset > c.sram.size() || length > c.sram.size() - offset)
        throw std::logic_error(text("access outside SRAM: %x + %x", offset, length));
}

} // namespace

FakeCard::FakeCard() : sram(FAKE_SRAM, 0xee), eeprom(good_eeprom()) {
    firmware = [this] { good_firmware(*this); };
    ops.read32 = [](void* c, uint32_t offset) { return card(c).read(offset); };
    ops.write32 = [](void* c, uint32_t offset, uint32_t value) { card(c).write(offset, value); };
    ops.copy_to_sram = [](void* c, uint32_t offset, const void* bytes, uint32_t length) {
        check_range(card(c), offset, length);
        card(c).note(text("copy %x..%x", offset, offset + length));
        std::memcpy(card(c).sram.data() + offset, bytes, length);
    };
    ops.zero_sram = [](void* c, uint32_t offset, uint32_t length) {
        check_range(card(c), offset, length);
        card(c).note(text("zero %x..%x", offset, offset + length));
        std::fill_n(card(c).sram.begin() + offset, length, uint8_t{0});
    };
    ops.delay_ms = [](void* c, uint32_t ms) {
        card(c).note(text("wait %u", ms));
        if (card(c).cpu_running && card(c).firmware)
            card(c).firmware();
    };
    ops.bus_master = [](void* c, bool on) {
        card(c).bus_master = on;
        card(c).note(on ? "master on" : "master off");
    };
    ops.log = [](void* c, const char* line) { card(c).log.emplace_back(line); };
}

uint32_t FakeCard::word(uint32_t offset) const {
    check_range(*this, offset, 4);
    return uint32_t{sram[offset]} << 24 | uint32_t{sram[offset + 1]} << 16 | uint32_t{sram[offset + 2]} << 8 |
           sram[offset + 3];
}

void FakeCard::set_word(uint32_t offset, uint32_t value) {
    check_range(*this, offset, 4);
    for (uint32_t n = 0; n < 4; n++)
        sram[offset + n] = static_cast<uint8_t>(value >> (24 - 8 * n));
}

void FakeCard::note_sram(const std::string& verb, uint32_t offset) {
    if (!trace.empty() && verb == run_verb_ && offset == run_end_ &&
        trace.back() == text("%s %x..%x", verb.c_str(), run_start_, run_end_))
        trace.pop_back();
    else
        run_start_ = offset;
    run_verb_ = verb;
    run_end_ = offset + 4;
    note(text("%s %x..%x", verb.c_str(), run_start_, run_end_));
}

uint32_t FakeCard::read(uint32_t offset) {
    if (offset == LANAI_BAR0_SPECIAL + LANAI_ISR) {
        note("read ISR");
        return isr;
    }
    if (offset == LANAI_BAR0_SPECIAL + LANAI_DMA_CONFIG) {
        note("read DMA_CONFIG");
        return dma_config;
    }
    note_sram("read", offset);
    if (offset == parity_at)
        isr |= LANAI_ISR_PARITY;
    return word(offset);
}

void FakeCard::write(uint32_t offset, uint32_t value) {
    if (offset == LANAI_BAR0_CONTROL_WORD) {
        note(text("control %08x", value));
        control(value);
    } else if (offset == LANAI_BAR0_SPECIAL + LANAI_ISR) {
        note(text("write ISR %08x", value));
        isr &= ~value;
    } else {
        note_sram("write", offset);
        set_word(offset, value);
    }
}

void FakeCard::control(uint32_t bits) {
    if (bits & LANAI_CONTROL_CPU_RESET_ON)
        cpu_running = false;
    if (bits & LANAI_CONTROL_CPU_RESET_OFF)
        cpu_running = true;
    if (bits & LANAI_CONTROL_PCI_INTERRUPT_ENABLE)
        interrupts = true;
    if (bits & LANAI_CONTROL_PCI_INTERRUPT_DISABLE)
        interrupts = false;
    if (bits & LANAI_CONTROL_IO_RESET_OFF)
        std::copy(eeprom.begin(), eeprom.end(), sram.end() - LANAI_EEPROM_SIZE);
}

std::string good_eeprom() {
    std::string bytes;
    for (const char* s : {"SN=186714", "MAC=00:60:dd:49:8:1f", "PC=M3F-PCIXD-2", "PN=09-03034", "PT:x"})
        bytes.append(s).push_back('\0');
    bytes.resize(LANAI_EEPROM_SIZE, '\0');
    return bytes;
}

std::vector<uint8_t> good_image() {
    std::vector<uint8_t> image(0x2000, 0x55);
    std::fill_n(image.begin() + FW_GLOBALS, sizeof(fw_globals), uint8_t{0});
    const uint8_t head[8] = {0x6d, 0x79, 0x72, 0x69, 0, 0, 0, FW_ABI_VERSION};
    std::copy_n(head, 8, image.begin() + FW_GLOBALS);
    return image;
}

void good_firmware(FakeCard& c) {
    if (c.global(offsetof(fw_globals, status)) == FW_STATUS_LOAD) {
        c.set_global(offsetof(fw_globals, endpoints), 0x20000);
        c.set_global(offsetof(fw_globals, endpoint_windows), FW_SRAM_ENDPOINT_WINDOWS);
        c.set_global(offsetof(fw_globals, windows), 0x30000);
        c.set_global(offsetof(fw_globals, peers), 0x40000);
        c.set_global(offsetof(fw_globals, counters), 0x50000);
        c.set_global(offsetof(fw_globals, counter_count), FW_COUNTER_COUNT);
        c.set_global(offsetof(fw_globals, idle_loop), 0x400);
        c.set_global(offsetof(fw_globals, critical_end), 0x180c);
        std::memcpy(c.sram.data() + FW_GLOBALS + offsetof(fw_globals, version), "fake 1", 7);
        c.set_global(offsetof(fw_globals, status), FW_STATUS_INIT);
    } else if (c.global(offsetof(fw_globals, params_ready)) == 1) {
        c.set_global(offsetof(fw_globals, status), FW_STATUS_RUN);
    }
}

void boot_good(FakeCard& c) {
    if (c.boot(good_image()) != 0)
        throw std::logic_error("the fake card does not boot: " + c.said());
    c.trace.clear();
}
