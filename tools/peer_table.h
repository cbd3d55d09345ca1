// SPDX-License-Identifier: BSD-3-Clause
//
// The peer table as text: who is on the network, and by which route.
//
//   # comment
//   [00:60:dd:00:00:01]                      the lines after it are for the card with this MAC only
//   00:60:dd:00:00:01 n0:0 80                MAC, hostname:board, route in hexadecimal bytes
//   00:60:dd:00:00:02 n1:0 8182              (blanks between bytes are allowed)
//
// Lines before any section are for every card. Routes are relative to the card that uses them, so one file with a
// section for each card serves all machines.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "abi/driver.h"

namespace myri::tools {

// The peers of the card `mac`. Every line is checked, those for other cards too. Throws Failure with `name`, line, value
// and what is allowed.
std::vector<myri_peer> read_peers(std::istream& text, const std::string& name, uint64_t mac);

std::string section_line(uint64_t mac);
std::string peer_line(const myri_peer& peer);
// "8182"
std::string route_text(const myri_peer& peer);

} // namespace myri::tools
