// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to the driver about a board, with errors as Failure.
#pragma once

#include <vector>

#include "abi/driver.h"
#include "tools/session.h"

namespace myri::tools {

uint32_t board_count();
myri_board_info board_info(uint32_t board);
std::vector<myri_peer> peers_of(uint32_t board);
// In the order of FW_COUNTERS. Clearing sets all to 0 after they were read.
std::vector<uint32_t> counters_of(uint32_t board, bool clear);
std::string mac_text(uint64_t mac);

} // namespace myri::tools
