// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/inject.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "abi/faults.h"
#include "abi/firmware.h"
#include "emulator/fabric/fault_injector.h"

namespace myri::emulator {
namespace {

struct Row {
    myri_fault fault;
    const char* values; // what the value means
    uint32_t most;
    uint32_t usual;     // if none is given
};
constexpr Row ROWS[] = {
    {MYRI_FAULT_STALL, "0: for ever", 0, 0},
    {MYRI_FAULT_PARITY, "0: in data, 1: in program text", 1, 0},
    {MYRI_FAULT_LINK_DOWN, "1: begins, 0: ends", 1, 1},
};

const Row* row_of(uint32_t fault) {
    for (const Row& row : ROWS)
        if (row.fault == fault)
            return &row;
    return nullptr;
}

// What the firmware in SRAM says about itself may be nonsense: a guest can write there.
uint32_t inside(Card& card, uint32_t offset) {
    return offset % 4 == 0 && offset < card.sram().size() ? offset : FW_GLOBALS;
}

void spoil(Time now, Card& card, bool text) {
    fw_globals globals;
    std::memcpy(&globals, &card.sram()[FW_GLOBALS], sizeof globals);
    if (text)
        return card.inject_parity(now, inside(card, be32_to_cpu(globals.idle_loop)));
    // Both are read with the next packets.
    const uint32_t counters = be32_to_cpu(globals.counters);
    for (const uint32_t counter : {uint32_t{FW_COUNTER_packets_sent}, uint32_t{FW_COUNTER_packets_received}})
        card.inject_parity(now, inside(card, counters + 4 * counter));
}

} // namespace

int inject_fault(Time now, Card& card, LinkPort& link, uint32_t fault, uint32_t value) {
    const Row* row = row_of(fault);
    if (!row)
        return -EOPNOTSUPP;
    if (value > row->most)
        return -EINVAL;
    switch (row->fault) {
    case MYRI_FAULT_STALL:
        card.stall(now);
        break;
    case MYRI_FAULT_PARITY:
        spoil(now, card, value != 0);
        break;
    default:
        link.set_up(now, value == 0);
    }
    return 0;
}

std::string faults_with_values() {
    std::string text;
    for (const Row& row : ROWS)
        text += std::string(text.empty() ? "" : ", ") + fault_name(row.fault) +
                (row.most ? " (" + std::string(row.values) + "; " + std::to_string(row.usual) + " if not given)" : "");
    return text;
}

NamedFault parse_fault(const std::string& name, const std::optional<std::string>& value) {
    const auto fault = fault_by_name(name);
    const Row* row = fault ? row_of(*fault) : nullptr;
    if (!row)
        throw std::runtime_error("fault " + name + ": possible are " + faults_with_values());
    NamedFault named{*fault, row->usual};
    if (!value)
        return named;
    const char* const end = value->data() + value->size();
    const auto [rest, error] = std::from_chars(value->data(), end, named.value);
    if (error != std::errc() || rest != end || named.value > row->most)
        throw std::runtime_error("fault " + name + ": value " + *value + ": 0 to " + std::to_string(row->most) +
                                 " are possible (" + row->values + ")");
    return named;
}

} // namespace myri::emulator
