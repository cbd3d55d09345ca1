// SPDX-License-Identifier: BSD-3-Clause
#include "tests/rig/rig.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace myri::rig {

using emulator::NEVER;

Bytes firmware_image() {
    const char* named = std::getenv("MYRI_FIRMWARE");
    const std::filesystem::path path =
        named ? std::filesystem::path(named)
              : std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../firmware/lanaix.bin";
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("no firmware image " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

Rig::Rig(const Options& options)
    : network_(scheduler_, emulator::one_crossbar(options.hosts), {}, options.faults), hosts_(options.hosts),
      raw_(options.hosts) {
    const Bytes image = options.boot ? firmware_image() : Bytes{};
    auto card = emulator::load_card_profile(options.card);
    card.cpu.data_access_extra = options.data_access_extra;
    const auto profile = emulator::load_host_profile(options.host);
    for (unsigned n = 0; n < options.hosts; n++) {
        if (options.raw.count(n)) {
            const unsigned to = n == 0 ? 1 : 0; // where a raw packet goes unless it has a route of its own
            raw_[n] = std::make_unique<RawPort>(network_.host_port(n), network_.route(n, to));
            continue;
        }
        hosts_[n] = std::make_unique<EmulatedHost>(scheduler_, timeline_, n, "host" + std::to_string(n), card,
                                                   profile, network_.host_port(n),
                                                   emulator::Card::Identity{mac(n), 1000 + n});
        if (!options.boot)
            continue;
        hosts_[n]->set_now(now());
        hosts_[n]->boot(image);
    }
    for (unsigned n = 0; n < options.hosts; n++)
        if (hosts_[n] && options.boot)
            install_peers(n, peers(n));
}

std::vector<board_peer> Rig::peers(unsigned from) const {
    std::vector<board_peer> peers;
    for (unsigned to = 0; to < network_.hosts(); to++) {
        const Bytes route = network_.route(from, to);
        board_peer peer{};
        peer.mac = mac(to);
        peer.route_length = static_cast<uint32_t>(route.size());
        std::copy_n(route.begin(), std::min<size_t>(route.size(), FW_ROUTE_MAX), peer.route);
        peers.push_back(peer);
    }
    return peers;
}

Time Rig::now() const {
    Time now = std::max(now_, scheduler_.now());
    for (const auto& host : hosts_)
        if (host && host->card().clock() != NEVER)
            now = std::max(now, host->card().clock());
    return now;
}

bool Rig::run_until(const std::function<bool()>& done, Time limit) {
    const Time end = now() + limit;
    while (!done()) {
        if (timeline_.step(end))
            continue;
        now_ = end;
        return done();
    }
    return true;
}

void Rig::run_for(Time duration) {
    run_until([] { return false; }, duration);
}

::board* Rig::board(unsigned host) {
    hosts_.at(host)->set_now(now());
    return &hosts_[host]->board();
}

int Rig::command(unsigned n, uint32_t opcode, std::vector<uint32_t> arguments, uint32_t* value) {
    bool done = false;
    int result = 0;
    host(n).command(now(), opcode, std::move(arguments), [&](Time, int status, uint32_t v) {
        done = true;
        result = status;
        if (value)
            *value = v;
    });
    if (!run_until([&] { return done; }, milliseconds(1000)))
        throw std::runtime_error("command " + std::to_string(opcode) + " on host " + std::to_string(n) +
                                 " does not end; " + host(n).card().trap_reason());
    return result;
}

void Rig::install_peers(unsigned n, const std::vector<board_peer>& peers) {
    std::vector<uint16_t> index(peers.size());
    if (board_peers_set(board(n), peers.data(), static_cast<uint32_t>(peers.size()), index.data()) != 0 ||
        command(n, FW_COMMAND_PEERS, {board(n)->peer_count}) != 0)
        throw std::runtime_error("host " + std::to_string(n) + " does not take its peers");
}

uint32_t Rig::counter(unsigned n, fw_counter counter) {
    std::vector<uint32_t> values(FW_COUNTER_COUNT);
    board_counters_read(board(n), values.data(), FW_COUNTER_COUNT);
    return values.at(counter);
}

void Rig::check_alive() {
    for (const auto& h : hosts_) {
        if (!h)
            continue;
        h->set_now(now());
        const uint32_t status = h->card().bar_read32(now(), FW_GLOBALS + offsetof(fw_globals, status));
        const uint32_t error = h->card().bar_read32(now(), FW_GLOBALS + offsetof(fw_globals, error));
        if (h->card().trapped() || status != FW_STATUS_RUN)
            throw std::runtime_error("firmware of " + h->name() + " stopped: status " +
                                     std::to_string(status) + ", error " + std::to_string(error) + ", " +
                                     h->card().trap_reason());
        if (command(h->number(), FW_COMMAND_PEERS, {h->board().peer_count}) != 0)
            throw std::runtime_error("firmware of " + h->name() + " refuses a command");
    }
}

} // namespace myri::rig
