// SPDX-License-Identifier: BSD-3-Clause
//
// HostDriver: the requests that concern the board and not an endpoint.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <utility>

#include "emulator/driver/host_driver.h"

namespace myri::emulator {
namespace {

template <size_t N> void copy_text(char (&to)[N], const std::string& text) { std::snprintf(to, N, "%s", text.c_str()); }

} // namespace

void HostDriver::board_info(myri_board_info& info) {
    const ::board& board = host_.board();
    const CardProfile& card = host_.card().profile();
    info.link_up = link_.up();
    info.mac = board.eeprom.mac;
    info.serial = board.eeprom.serial;
    info.ports = card.ports;
    info.lanai_khz = board.core_khz;
    info.pci_khz = static_cast<uint32_t>(std::lround(host_.profile().bus_mhz * 1000));
    info.pci_bits = host_.profile().bus_bytes * 8;
    info.sram_bytes = board.sram_size;
    info.pci_revision = card.pci_revision;
    info.endpoints = FW_ENDPOINTS;
    info.endpoints_open = static_cast<uint32_t>(
        std::ranges::count(endpoints_, Endpoint::State::open, &Endpoint::state));
    info.peer_count = static_cast<uint32_t>(std::ranges::count_if(peers_, [](const myri_peer& p) { return p.mac != 0; }));
    info.dead = dead_;
    info.numa_node = -1;
    copy_text(info.hostname, host_.name());
    copy_text(info.product_code, board.eeprom.product_code);
    copy_text(info.part_number, board.eeprom.part_number);
    copy_text(info.firmware, board.firmware_version);
}

void HostDriver::counters(Time now, myri_counters& counters) {
    host_.set_now(now);
    counters.count = std::min(host_.board().counter_count, MYRI_COUNTERS_MAX);
    board_counters_read(&host_.board(), counters.value, counters.count);
    if (counters.clear)
        board_counters_clear(&host_.board());
}

static int write_table(::board& board, const std::vector<myri_peer>& peers, std::vector<uint16_t>& index) {
    std::vector<board_peer> table;
    for (const myri_peer& peer : peers) {
        board_peer entry{};
        entry.mac = peer.mac;
        entry.route_length = peer.route_length;
        std::copy_n(peer.route, std::min<size_t>(peer.route_length, FW_ROUTE_MAX), entry.route);
        table.push_back(entry);
    }
    index.resize(table.size());
    return board_peers_set(&board, table.data(), static_cast<uint32_t>(table.size()), index.data());
}

void HostDriver::set_peers(Time now, std::vector<myri_peer> peers, Done done) {
    host_.set_now(now);
    std::vector<uint16_t> index;
    if (const int status = write_table(host_.board(), peers, index))
        return done(now, status);
    peers_.assign(host_.board().peer_count, myri_peer{});
    for (size_t n = 0; n < peers.size(); n++)
        if (index[n] != BOARD_PEER_NONE)
            peers_[index[n]] = peers[n];
    host_.command(now, FW_COMMAND_PEERS, {host_.board().peer_count},
                  [done = std::move(done)](Time when, int result, uint32_t) {
                      done(when, result == -ECANCELED ? 0 : result); // a restart has set them, too
                  });
}

int HostDriver::write_peers() {
    std::vector<uint16_t> index; // as before
    return write_table(host_.board(), peers_, index);
}

void HostDriver::dmabench(Time now, myri_dmabench request,
                          std::function<void(Time, int status, const myri_dmabench&)> done) {
    if (request.bytes < 1 || request.bytes > FW_DMABENCH_MAX || request.count < 1 || request.count > 65535 ||
        request.direction < FW_DMABENCH_READ || request.direction > FW_DMABENCH_BOTH)
        return done(now, -EINVAL, request);
    // Read from the first half, written to the second.
    const auto buffer = std::make_shared<std::vector<uint8_t>>(2 * FW_DMABENCH_MAX);
    const uint64_t bus = host_.memory().add(buffer->size(), std::make_shared<PlainRange>(std::span(*buffer)));
    host_.command(now, FW_COMMAND_DMABENCH,
                  {request.direction, request.bytes, request.count, static_cast<uint32_t>(bus >> 32),
                   static_cast<uint32_t>(bus)},
                  [this, request, bus, buffer, done = std::move(done)](Time when, int result, uint32_t cycles) mutable {
                      host_.memory().remove(bus);
                      if (result == -ECANCELED)
                          return dmabench(when, request, done);
                      request.cycles = cycles;
                      request.core_khz = host_.board().core_khz;
                      done(when, result, request);
                  });
}

} // namespace myri::emulator
