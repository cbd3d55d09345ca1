// SPDX-License-Identifier: BSD-3-Clause
#include "tools/boards.h"

#include <algorithm>

#include <myri.h>

#include "tools/advice.h"

namespace myri::tools {

uint32_t board_count() {
    uint32_t count = 0;
    check(mx_get_info(nullptr, MX_NIC_COUNT, nullptr, 0, &count, sizeof count), "count the boards");
    return count;
}

myri_board_info board_info(uint32_t board) {
    myri_board_info info{};
    info.board = board;
    check_driver(myri_driver_request(board, MYRI_BOARD_INFO, &info, sizeof info), fmt::format("ask board {}", board));
    return info;
}

std::vector<myri_peer> peers_of(uint32_t board) {
    std::vector<myri_peer> peers;
    myri_peers part{};
    do {
        part.board = board;
        part.first = static_cast<uint32_t>(peers.size());
        check_driver(myri_driver_request(board, MYRI_PEERS, &part, sizeof part),
                     fmt::format("read the peers of board {}", board));
        peers.insert(peers.end(), part.peer, part.peer + std::min(part.count, MYRI_PEERS_AT_ONCE));
    } while (part.count > 0 && peers.size() < part.total);
    std::erase_if(peers, [](const myri_peer& peer) { return peer.mac == 0; }); // indices where nobody stands
    return peers;
}

std::vector<uint32_t> counters_of(uint32_t board, bool clear) {
    myri_counters counters{};
    counters.board = board;
    counters.clear = clear;
    check_driver(myri_driver_request(board, MYRI_COUNTERS, &counters, sizeof counters),
                 fmt::format("read the counters of board {}", board));
    return {counters.value, counters.value + std::min(counters.count, MYRI_COUNTERS_MAX)};
}

std::string mac_text(uint64_t mac) {
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac >> 40 & 0xff, mac >> 32 & 0xff, mac >> 24 & 0xff,
                       mac >> 16 & 0xff, mac >> 8 & 0xff, mac & 0xff);
}

} // namespace myri::tools
