// SPDX-License-Identifier: BSD-3-Clause
//
// What mx_info prints about a board and its peers, line by line.
#pragma once

#include <string>
#include <vector>

#include "abi/driver.h"

namespace myri::tools {

std::vector<std::string> head_lines(uint32_t boards, const std::string& firmware, uint32_t endpoints);
std::vector<std::string> board_lines(const myri_board_info& info);
// `own_mac` marks the row that is the board itself.
std::vector<std::string> peer_lines(const std::vector<myri_peer>& peers, uint64_t own_mac);
// Why a dead board is dead.
std::string death_text(const myri_board_info& info);
// "Running, P0: Link up"; "Dead, " and why.
std::string status_text(const myri_board_info& info);

} // namespace myri::tools
