// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/special_registers.h"

#include <cmath>

namespace myri::emulator {
namespace {

enum Mode : uint8_t { R = 1, W = 2, RW = 3 };

struct Row {
    uint16_t offset;
    uint8_t bytes;
    uint8_t mode;
};
constexpr Row ROWS[] = {
#define MYRI_ROW(name, offset, bits, mode, text) {offset, bits / 8, mode},
    LANAI_REGISTERS(MYRI_ROW)
#undef MYRI_ROW
};
constexpr uint32_t NO_ROW = sizeof ROWS / sizeof *ROWS;

// The first row of each word; rows are in order of their offsets.
struct WordIndex {
    uint8_t first[LANAI_SPECIAL_SIZE / 4];
    constexpr WordIndex() : first() {
        for (auto& f : first)
            f = NO_ROW;
        for (uint32_t i = NO_ROW; i-- > 0;)
            first[ROWS[i].offset / 4] = static_cast<uint8_t>(i);
    }
};
constexpr WordIndex WORDS;

constexpr uint32_t SRAM_SIZE_FIELD = 0x0ffffc00; // in DMA_CONFIG

uint32_t low_bits(uint32_t value, unsigned bytes) {
    return bytes == 4 ? value : value & ((1u << 8 * bytes) - 1);
}

} // namespace

RegisterDecoder::RegisterDecoder(Units units, const ChipClock& clock, uint32_t sram_bytes, double bus_mhz)
    : units_(units), clock_(clock), sram_bytes_(sram_bytes),
      pci_clock_(static_cast<uint16_t>(std::lround(bus_mhz * 10))) {}

uint32_t RegisterDecoder::load(Time now, uint32_t offset, unsigned bytes) const {
    const uint32_t word_offset = offset & ~3u;
    uint32_t word = 0;
    for (uint32_t i = WORDS.first[word_offset / 4]; i < NO_ROW && (ROWS[i].offset & ~3u) == word_offset; i++)
        if (ROWS[i].mode & R)
            word |= read(now, ROWS[i].offset) << 8 * (4 - (ROWS[i].offset & 3) - ROWS[i].bytes);
    return low_bits(word >> 8 * (4 - (offset & 3) - bytes), bytes);
}

void RegisterDecoder::store(Time now, uint32_t offset, unsigned bytes, uint32_t value, bool by_host) {
    const uint32_t word_offset = offset & ~3u;
    for (uint32_t i = WORDS.first[word_offset / 4]; i < NO_ROW && (ROWS[i].offset & ~3u) == word_offset;
         i++) {
        const Row& row = ROWS[i];
        if ((row.mode & W) && offset <= row.offset && row.offset + row.bytes <= offset + bytes)
            write(now, row.offset,
                  low_bits(value >> 8 * (offset + bytes - row.offset - row.bytes), row.bytes), by_host);
    }
}

uint32_t RegisterDecoder::read(Time now, uint32_t reg) const {
    switch (reg) {
    case LANAI_ISR:
        return units_.interrupts.isr();
    case LANAI_AISR:
        return units_.interrupts.aisr();
    case LANAI_AISR_ON:
        return units_.interrupts.aisr_on;
    case LANAI_CPUC:
        return static_cast<uint32_t>(clock_.cycle_at(now) + cpuc_offset_);
    case LANAI_RTC:
        return units_.timers.rtc(now);
    case LANAI_IT0:
        return units_.timers.interval(now, 0);
    case LANAI_IT1:
        return units_.timers.interval(now, 1);
    case LANAI_IT2:
        return units_.timers.interval(now, 2);
    case LANAI_P0_RPL_CONFIG:
        return units_.receive.config();
    case LANAI_P0_RB:
        return units_.receive.buffer_register();
    case LANAI_P0_RPL_INDEX:
        return units_.receive.index();
    case LANAI_P0_RECV_COUNT:
        return units_.receive.count(now);
    case LANAI_P0_BUFFER_DROP:
        return units_.receive.buffer_drops();
    case LANAI_P0_SEND_FREE_COUNT:
        return units_.send.free_count();
    case LANAI_P0_SEND_FREE_LIMIT:
        return units_.send.free_limit();
    case LANAI_P0_SEND_COUNT:
        return units_.send.sent_count();
    case LANAI_P0_SEND_CONTROL:
        return units_.send.control();
    case LANAI_PORT_ADDR:
        return units_.port.address();
    case LANAI_PORT_DATA:
        return units_.port.data();
    case LANAI_DMA_CONFIG:
        return (dma_config_ & ~SRAM_SIZE_FIELD) | (sram_bytes_ & SRAM_SIZE_FIELD);
    case LANAI_PCI_CLOCK:
        return pci_clock_;
    case LANAI_DMA0_COUNT:
        return units_.dma.not_done(0);
    case LANAI_DMA1_COUNT:
        return units_.dma.not_done(1);
    case LANAI_DMA2_COUNT:
        return units_.dma.not_done(2);
    case LANAI_DMA3_COUNT:
        return units_.dma.not_done(3);
    case LANAI_DMA0_POINTER:
        return units_.dma.pointer(0);
    case LANAI_DMA1_POINTER:
        return units_.dma.pointer(1);
    case LANAI_DMA2_POINTER:
        return units_.dma.pointer(2);
    case LANAI_DMA3_POINTER:
        return units_.dma.pointer(3);
    default:
        return storage_[reg];
    }
}

void RegisterDecoder::write(Time now, uint32_t reg, uint32_t value, bool by_host) {
    switch (reg) {
    case LANAI_ISR:
        return units_.interrupts.store(now, value, by_host);
    case LANAI_AISR:
        return; // all its bits follow conditions
    case LANAI_AISR_ON:
        units_.interrupts.aisr_on = value;
        return;
    case LANAI_CPUC:
        cpuc_offset_ = value - clock_.cycle_at(now);
        return;
    case LANAI_RTC:
        return units_.timers.set_rtc(now, value);
    case LANAI_IT0:
        return units_.timers.set_interval(now, 0, value);
    case LANAI_IT1:
        return units_.timers.set_interval(now, 1, value);
    case LANAI_IT2:
        return units_.timers.set_interval(now, 2, value);
    case LANAI_P0_RPL_CONFIG:
        return units_.receive.set_config(now, value);
    case LANAI_P0_RB:
        return units_.receive.post(now, value);
    case LANAI_P0_SEND:
        return units_.send.push(now, value);
    case LANAI_P0_SEND_FREE_LIMIT:
        return units_.send.set_free_limit(value);
    case LANAI_P0_SEND_COUNT:
        return units_.send.set_sent_count(static_cast<uint8_t>(value));
    case LANAI_P0_SEND_CONTROL:
        return units_.send.set_control(now, static_cast<uint8_t>(value));
    case LANAI_PORT_ADDR:
        return units_.port.select(static_cast<uint16_t>(value));
    case LANAI_PORT_DATA:
        return units_.port.store(static_cast<uint16_t>(value));
    case LANAI_DMA_CONFIG:
        dma_config_ = value;
        return units_.dma.set_enabled(now, value & LANAI_DMA_ENABLE);
    case LANAI_DMA0_COUNT:
        return units_.dma.hand_over(now, 0, value);
    case LANAI_DMA1_COUNT:
        return units_.dma.hand_over(now, 1, value);
    case LANAI_DMA2_COUNT:
        return units_.dma.hand_over(now, 2, value);
    case LANAI_DMA3_COUNT:
        return units_.dma.hand_over(now, 3, value);
    case LANAI_DMA0_POINTER:
        return units_.dma.set_pointer(now, 0, value);
    case LANAI_DMA1_POINTER:
        return units_.dma.set_pointer(now, 1, value);
    case LANAI_DMA2_POINTER:
        return units_.dma.set_pointer(now, 2, value);
    case LANAI_DMA3_POINTER:
        return units_.dma.set_pointer(now, 3, value);
    default:
        storage_[reg] = value;
    }
}

void RegisterDecoder::reset() {
    dma_config_ = 0;
    cpuc_offset_ = 0;
    storage_ = {};
}

} // namespace myri::emulator
