// SPDX-License-Identifier: BSD-3-Clause
#include "tools/peer_table.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "abi/firmware.h"
#include "abi/lanai.h"
#include "tools/boards.h"
#include "tools/failure.h"
#include "tools/options.h"

namespace myri::tools {
namespace {

// Where a line stands, for its errors.
struct Place {
    const std::string& file;
    unsigned line;
    template <typename... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> text, Values&&... values) const {
        throw Failure(
            fmt::format("{}:{}: {}", file, line, fmt::format(text, std::forward<Values>(values)...)));
    }
};

uint64_t parse_mac(const std::string& text, const Place& place) {
    std::optional<uint64_t> mac;
    if (text.find(':') != std::string::npos)
        mac = parse_nic_id(text);
    if (!mac || *mac == 0)
        place.fail("MAC '{}' is not six bytes in hexadecimal, like 00:60:dd:00:00:01", text);
    return *mac;
}

void parse_name(const std::string& text, const Place& place, myri_peer& peer) {
    if (text.size() >= sizeof peer.name)
        place.fail("name '{}' has {} characters, at most {} are possible", text, text.size(),
                   sizeof peer.name - 1);
    const size_t colon = text.rfind(':');
    const auto board = colon == std::string::npos ? std::nullopt : parse_number(text.substr(colon + 1));
    if (colon == 0 || !board || *board >= MYRI_BOARDS_MAX)
        place.fail("name '{}' is not HOSTNAME:BOARD with a board from 0 to {}", text, MYRI_BOARDS_MAX - 1);
    std::memcpy(peer.name, text.data(), text.size());
}

void parse_route(const std::string& digits, const Place& place, myri_peer& peer) {
    if (digits.size() % 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        place.fail("route '{}' is not a row of bytes of two hexadecimal digits", digits);
    const size_t bytes = digits.size() / 2;
    if (bytes < 1 || bytes > FW_ROUTE_MAX)
        place.fail("a route of {} bytes: 1 to {} are possible", bytes, FW_ROUTE_MAX);
    for (size_t i = 0; i < bytes; i++) {
        peer.route[i] = static_cast<uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
        if (!(peer.route[i] & LANAI_ROUTE_BIT))
            place.fail("route byte 0x{:02x} is not from 0x80 to 0xff", peer.route[i]);
    }
    peer.route_length = static_cast<uint32_t>(bytes);
}

myri_peer parse_line(const std::string& line, const Place& place) {
    std::istringstream words(line);
    std::string mac, name, digits, more;
    words >> mac >> name >> digits;
    while (words >> more)
        digits += more;
    if (digits.empty())
        place.fail("'{}' is not MAC HOSTNAME:BOARD ROUTE", line);
    myri_peer peer{};
    peer.mac = parse_mac(mac, place);
    parse_name(name, place, peer);
    parse_route(digits, place, peer);
    return peer;
}

// What may occur once in one card's table, and on which line it did.
struct Seen {
    std::map<uint32_t, unsigned> cards;
    std::map<std::string, unsigned> names;

    void add(const myri_peer& peer, const Place& place) {
        if (const auto [at, fresh] = cards.try_emplace(static_cast<uint32_t>(peer.mac), place.line); !fresh)
            place.fail("MAC {} and that of line {} are alike in their low 32 bits", mac_text(peer.mac),
                       at->second);
        if (const auto [at, fresh] = names.try_emplace(peer.name, place.line); !fresh)
            place.fail("name '{}' stands in line {} already", peer.name, at->second);
    }
};

std::string trimmed(std::string line) {
    line.erase(std::min(line.find('#'), line.size()));
    const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

} // namespace

std::vector<myri_peer> read_peers(std::istream& text, const std::string& name, uint64_t mac) {
    std::vector<myri_peer> peers;
    Seen seen;
    bool wanted = true; // this section
    Place place{name, 0};
    for (std::string raw; std::getline(text, raw);) {
        place.line++;
        const std::string line = trimmed(raw);
        if (line.empty())
            continue;
        if (line.front() == '[') {
            if (line.back() != ']')
                place.fail("section '{}' is not [MAC]", line);
            wanted = parse_mac(line.substr(1, line.size() - 2), place) == mac;
            continue;
        }
        const myri_peer peer = parse_line(line, place);
        if (!wanted)
            continue;
        seen.add(peer, place);
        if (peers.size() == FW_PEERS)
            place.fail("more than {} peers for card {}", FW_PEERS, mac_text(mac));
        peers.push_back(peer);
    }
    if (text.bad())
        throw Failure(fmt::format("{}: {}", name, std::strerror(errno)));
    return peers;
}

std::string section_line(uint64_t mac) {
    return fmt::format("[{}]", mac_text(mac));
}

std::string route_text(const myri_peer& peer) {
    std::string text;
    for (uint32_t i = 0; i < std::min<uint32_t>(peer.route_length, sizeof peer.route); i++)
        text += fmt::format("{:02x}", peer.route[i]);
    return text;
}

std::string peer_line(const myri_peer& peer) {
    return fmt::format("{} {} {}", mac_text(peer.mac), peer.name, route_text(peer));
}

} // namespace myri::tools
