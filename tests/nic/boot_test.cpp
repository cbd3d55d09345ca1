// SPDX-License-Identifier: BSD-3-Clause
//
// The start-up sequence that the drivers of real cards go through, step by step.
#include <doctest/doctest.h>

#include <map>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

constexpr uint32_t STATUS = 0x1000, PARAMETERS_READY = 0x1004;
enum : uint32_t { LOAD = 0, INIT = 1, RUN = 2 };

// Says INIT, waits for the parameters, raises the host interrupt, says RUN and stays.
const Program FIRMWARE = {
    mov(6, INIT),
    st(6, STATUS),
    ld(7, PARAMETERS_READY),
    cmp(7, 0),
    beq(8),
    nop(), // 8
    mov_high(8, LANAI_ISR_REQ_ACK_0 >> 16),
    st_special(8, LANAI_ISR),
    mov(6, RUN),
    st(6, STATUS),
    bt(40),
    nop(), // 40
};

std::map<std::string, std::string> strings_of(Rig& rig) {
    std::map<std::string, std::string> strings;
    std::string bytes;
    for (uint32_t i = 0; i < LANAI_EEPROM_SIZE; i += 4) {
        const uint32_t word = rig.word((2u << 20) - LANAI_EEPROM_SIZE + i);
        for (int shift : {24, 16, 8, 0})
            bytes += static_cast<char>(word >> shift);
    }
    for (size_t at = 0; bytes[at] != 0; at = bytes.find('\0', at) + 1)
        strings[bytes.substr(at, bytes.find_first_of("=:", at) + 1 - at)] =
            bytes.c_str() + bytes.find_first_of("=:", at) + 1;
    return strings;
}

} // namespace

TEST_CASE("the drivers' start-up sequence brings firmware from reset to RUN") {
    Rig rig;
    std::vector<std::pair<Time, bool>> line;
    rig.card.set_interrupt_handler([&](Time t, bool level) { line.push_back({t, level}); });

    rig.control(LANAI_CONTROL_IO_RESET_ON);
    rig.control(LANAI_CONTROL_CPU_RESET_ON);
    rig.run_for(20 * MS);
    rig.control(LANAI_CONTROL_IO_RESET_OFF);
    rig.run_for(20 * MS);
    CHECK((rig.isr() & LANAI_ISR_PARITY) == 0);
    CHECK((rig.special(LANAI_DMA_CONFIG) & 0x0ffffc00) == 2u << 20);
    CHECK(rig.special(LANAI_PCI_CLOCK & ~3u) == 1333); // 16 bits in the word's low half, units of 100 kHz

    auto strings = strings_of(rig);
    CHECK(strings["SN="] == "300042");
    CHECK(strings["MAC="] == "00:60:dd:49:12:34");
    CHECK(strings["PC="] == "M3F-PCIXD-2");
    CHECK(strings["PN="] == "09-03034");
    CHECK((strings.contains("PT:") && strings.contains("PV:")));

    for (uint32_t offset = 0; offset < (2u << 20) - LANAI_EEPROM_SIZE; offset += 4)
        rig.set_word(offset, 0);
    rig.run_for(20 * MS);
    for (uint32_t i = 0; i < FIRMWARE.size(); i++)
        rig.set_word(4 * i, FIRMWARE[i]);
    rig.run_for(20 * MS);
    CHECK((rig.isr() & LANAI_ISR_REQ_ACK_0) == 0);
    CHECK(rig.card.clock() == NEVER);

    rig.control(LANAI_CONTROL_PCI_INTERRUPT_DISABLE);
    rig.control(LANAI_CONTROL_CPU_RESET_OFF);
    rig.control(LANAI_CONTROL_PCI_INTERRUPT_ENABLE);
    CHECK(rig.word(STATUS) == LOAD);
    rig.run_for(10 * US);
    CHECK(rig.word(STATUS) == INIT);
    CHECK(line.empty());

    const Time ready = rig.now;
    rig.set_word(PARAMETERS_READY, 1);
    rig.run_for(10 * US);
    CHECK(rig.word(STATUS) == RUN);
    CHECK((rig.isr() & LANAI_ISR_REQ_ACK_0) != 0);
    REQUIRE(line.size() == 1);
    CHECK(line[0].second);
    CHECK((line[0].first > ready && line[0].first < rig.now));

    rig.set_special(LANAI_ISR, LANAI_ISR_REQ_ACK_0);
    CHECK((rig.isr() & LANAI_ISR_REQ_ACK_0) == 0);
    REQUIRE(line.size() == 2);
    CHECK_FALSE(line[1].second);
}

TEST_CASE("a card in reset keeps its SRAM, clears its registers and places its strings again") {
    Rig rig;
    rig.set_word(0x2000, 0x12345678);
    rig.set_word((2u << 20) - LANAI_EEPROM_SIZE, 0);
    rig.set_special(LANAI_P0_RPL_CONFIG, LANAI_RPL_ENABLE);
    rig.set_special(LANAI_LED & ~3u, 0xffffffff);
    CHECK(rig.special(LANAI_LED & ~3u) == 0xff000000); // LED is the byte at 0x150
    rig.control(LANAI_CONTROL_IO_RESET_ON);
    rig.run_for(20 * MS);
    CHECK(rig.word((2u << 20) - LANAI_EEPROM_SIZE) == 0);
    rig.control(LANAI_CONTROL_IO_RESET_OFF);
    CHECK(rig.word((2u << 20) - LANAI_EEPROM_SIZE) == 0x534e3d33); // "SN=3"
    CHECK(rig.word(0x2000) == 0x12345678);
    CHECK(rig.special(LANAI_P0_RPL_CONFIG) == 0);
    CHECK(rig.special(LANAI_LED & ~3u) == 0);
}

TEST_CASE("a reset starts the processor afresh at 0") {
    Rig rig;
    rig.start({ld(6, 0x1000), add(6, 6, 1), st(6, 0x1000), bt(12), nop()});
    rig.run_for(10 * US);
    CHECK(rig.word(0x1000) == 1);
    CHECK(rig.card.cycles() >= 2250);
    rig.control(LANAI_CONTROL_CPU_RESET_ON);
    const uint64_t cycles = rig.card.cycles();
    rig.run_for(10 * US);
    CHECK(rig.card.cycles() == cycles);
    rig.control(LANAI_CONTROL_CPU_RESET_OFF);
    rig.run_for(1 * US);
    CHECK(rig.word(0x1000) == 2);
    CHECK(rig.card.cycles() >= 225);
    CHECK(rig.card.cycles() < 230);
}

TEST_CASE("offsets that decode to nothing read as all ones and swallow stores") {
    Rig rig;
    for (uint32_t offset : {2u << 20, LANAI_BAR0_CONTROL, LANAI_BAR0_CONTROL_WORD, LANAI_BAR0_SPECIAL - 4}) {
        CAPTURE(offset);
        CHECK(rig.word(offset) == 0xffffffff);
        if (offset != LANAI_BAR0_CONTROL_WORD)
            rig.set_word(offset, 0);
        CHECK(rig.word(offset) == 0xffffffff);
    }
    const uint8_t byte[1] = {0};
    CHECK_THROWS_AS(rig.card.sram_write(0, 2u << 20, byte), std::out_of_range);
}

TEST_CASE("an undefined instruction stops the processor and says why") {
    Rig rig;
    rig.start({nop(), 0xf003c000});
    rig.run_for(1 * US);
    CHECK(rig.card.trapped());
    CHECK(rig.card.trap_reason().find("f003c000") != std::string::npos);
    CHECK(rig.card.clock() == NEVER);
}

TEST_CASE("text that is stored into a running card is executed") {
    Rig rig;
    rig.start({mov(6, 1), st(6, 0x1000), bt(0), nop()});
    rig.run_for(1 * US);
    CHECK(rig.word(0x1000) == 1);
    rig.set_word(0, mov(6, 2));
    rig.run_for(1 * US);
    CHECK(rig.word(0x1000) == 2);
    const uint32_t word = mov(6, 3);
    const uint8_t bytes[4] = {uint8_t(word >> 24), uint8_t(word >> 16), uint8_t(word >> 8), uint8_t(word)};
    rig.card.sram_write(rig.now, 0, bytes);
    rig.run_for(1 * US);
    CHECK(rig.word(0x1000) == 3);
}
