// SPDX-License-Identifier: BSD-3-Clause
//
// Faults that happen to a card or a cable at a time (abi/faults.h), whoever drives the card.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/fabric/link_port.h"
#include "emulator/nic/card.h"

namespace myri::emulator {

// Makes one happen now. 0; -EOPNOTSUPP: it does not happen to a card or a cable; -EINVAL: a value out of range.
int inject_fault(Time now, Card& card, LinkPort& link, uint32_t fault, uint32_t value);

// A card that no HostDriver drives, such as a guest's.
struct CardOnCable {
    Card* card = nullptr;
    LinkPort* link = nullptr;
};

struct NamedFault {
    uint32_t fault = 0, value = 0;
};
// As people write them; no value: the usual one. Throws std::runtime_error with what is possible.
NamedFault parse_fault(const std::string& name, const std::optional<std::string>& value);
// "stall, parity (VALUE 0: in data, ...), ..." for help texts.
std::string faults_with_values();

} // namespace myri::emulator
