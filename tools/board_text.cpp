// SPDX-License-Identifier: BSD-3-Clause
#include "tools/board_text.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "abi/firmware.h"
#include "tools/boards.h"

namespace myri::tools {

std::vector<std::string> head_lines(uint32_t boards, const std::string& firmware, uint32_t endpoints) {
    return {fmt::format("MX Version: {} (libmyri)", VERSION),
            fmt::format("MX Build: gcc {}, firmware {}", __VERSION__, firmware),
            fmt::format("{} Myrinet board{} installed.", boards, boards == 1 ? "" : "s"),
            "The MX driver is configured to support a maximum of:",
            fmt::format("\t{} endpoints per NIC, {} NICs on the network, {} NICs per host", endpoints, FW_PEERS,
                        MYRI_BOARDS_MAX)};
}

std::string death_text(const myri_board_info& info) {
    switch (info.dead) {
#define ROW(number, text) \
    case number: return text;
        MYRI_DEAD_REASONS(ROW)
#undef ROW
    default: return std::strerror(static_cast<int>(info.dead));
    }
}

std::string status_text(const myri_board_info& info) {
    if (info.dead)
        return fmt::format("Dead, {}", death_text(info));
    std::string text = "Running";
    for (uint32_t port = 0; port < info.ports; port++)
        text += fmt::format(", P{}: Link {}", port, info.link_up ? "up" : "down");
    return text;
}

std::vector<std::string> board_lines(const myri_board_info& info) {
    return {std::string(67, '='),
            fmt::format("Instance #{}:  {:.1f} MHz LANai, {:.1f} MHz PCI bus, {} MB SRAM", info.board,
                        info.lanai_khz / 1e3, info.pci_khz / 1e3, info.sram_bytes >> 20),
            fmt::format("\tStatus:\t\t{}", status_text(info)),
            "\tNetwork:\tMyrinet 2000",
            "",
            fmt::format("\tMAC Address:\t{}", mac_text(info.mac)),
            fmt::format("\tProduct code:\t{}", info.product_code),
            fmt::format("\tPart number:\t{}", info.part_number),
            fmt::format("\tSerial number:\t{}", info.serial),
            // No mapper runs: the table is installed. Its place is shown empty rather than invented.
            fmt::format("\tMapper:\t\t{}, version = 0x{:08x}, {}", mac_text(0), 0,
                        info.peer_count ? "configured" : "not configured"),
            fmt::format("\tMapped hosts:\t{}", info.peer_count)};
}

std::vector<std::string> peer_lines(const std::vector<myri_peer>& peers, uint64_t own_mac) {
    std::vector<std::string> lines = {"", fmt::format("{:>67}", "ROUTE COUNT"),
                                      fmt::format("{:<8} {:<17} {:<29} {}", "INDEX", "MAC ADDRESS", "HOST NAME", "P0"),
                                      fmt::format("{:<8} {:<17} {:<29} {}", "-----", "-----------", "---------", "---")};
    for (size_t i = 0; i < peers.size(); i++) {
        const myri_peer& peer = peers[i];
        bool own = peer.mac == own_mac;
        lines.push_back(fmt::format("{:4}) {} {:<32}{}{},0", i, mac_text(peer.mac), peer.name, own ? "D " : "  ",
                                    !own && peer.route_length ? 1 : 0));
    }
    return lines;
}

} // namespace myri::tools
