// SPDX-License-Identifier: BSD-3-Clause
//
// A card as board/ sees it, without any hardware: an SRAM array, two registers, the control word, a firmware
// that is a function called whenever time passes, and a record of every access in order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "board/board.h"

inline constexpr uint32_t FAKE_SRAM = 2u << 20;

class FakeCard {
public:
    FakeCard();
    int boot(const std::vector<uint8_t>& image) {
        return board_boot(&board, &ops, this, 225'000, image.data(), static_cast<uint32_t>(image.size()));
    }

    uint32_t word(uint32_t offset) const;
    void set_word(uint32_t offset, uint32_t value);
    // Field of the globals by its offset in struct fw_globals.
    void set_global(size_t field, uint32_t value) {
        set_word(FW_GLOBALS + static_cast<uint32_t>(field), value);
    }
    uint32_t global(size_t field) const { return word(FW_GLOBALS + static_cast<uint32_t>(field)); }
    // The last log line.
    std::string said() const { return log.empty() ? "" : log.back(); }

    std::vector<uint8_t> sram;
    std::string eeprom; // appears in SRAM with each I/O reset
    uint32_t isr = 0;
    uint32_t dma_config = FAKE_SRAM;
    uint32_t parity_at = ~0u; // reading this word sets ISR.PARITY
    bool cpu_running = false, interrupts = false, bus_master = false;
    // Called after each millisecond, or longer wait, while the processor runs.
    std::function<void()> firmware;
    std::vector<std::string> trace; // runs of accesses to neighbouring SRAM words are one entry
    std::vector<std::string> log;
    ::board board{};
    board_ops ops{};

private:
    void note(const std::string& what) { trace.push_back(what); }
    void note_sram(const std::string& verb, uint32_t offset);
    uint32_t read(uint32_t offset);
    void write(uint32_t offset, uint32_t value);
    void control(uint32_t bits);
    std::string run_verb_;
    uint32_t run_start_ = 0, run_end_ = 0;
};

// An EEPROM as real boards have it.
std::string good_eeprom();
// The smallest image that board_boot() accepts.
std::vector<uint8_t> good_image();
// What good firmware does: INIT after the first wait, with its tables; RUN once it has its parameters.
void good_firmware(FakeCard& card);
// A card with good firmware up and an empty trace.
void boot_good(FakeCard& card);
