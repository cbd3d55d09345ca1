// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/peer_file.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace myri::emulator {
namespace {

std::string mac_text(uint64_t mac) {
    std::string text;
    for (int shift = 40; shift >= 0; shift -= 8)
        text += fmt::format("{}{:02x}", text.empty() ? "" : ":", mac >> shift & 0xff);
    return text;
}

} // namespace

void write_peers(const std::string& path, const Machines& machines) {
    std::ofstream file(path);
    for (size_t from = 0; from < machines.cards().size(); from++) {
        file << '[' << mac_text(machines.cards()[from]->identity().mac) << "]\n";
        for (const myri_peer& peer : machines.peers(from)) {
            file << mac_text(peer.mac) << ' ' << peer.name << ' ';
            for (uint32_t n = 0; n < peer.route_length; n++)
                file << fmt::format("{:02x}", peer.route[n]);
            file << '\n';
        }
    }
    if (!file.flush())
        throw std::runtime_error("peer table " + path + ": cannot be written");
}

} // namespace myri::emulator
