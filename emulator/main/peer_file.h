// SPDX-License-Identifier: BSD-3-Clause
//
// The peer table as a file that mx_peers reads in guests: for each card a section "[MAC]", and in it one line for each
// card on the network, "MAC hostname:board route", the route in hexadecimal digits.
#pragma once

#include <string>

#include "emulator/main/machines.h"

namespace myri::emulator {

// Throws std::runtime_error if the file cannot be written.
void write_peers(const std::string& path, const Machines& machines);

} // namespace myri::emulator
