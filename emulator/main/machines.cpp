// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "emulator/driver/seeded.h"

namespace myri::emulator {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t MAC_PREFIX = 0x0060dd000000; // Myricom's
constexpr const char* INSTALLED_FIRMWARE = "/lib/firmware/myri/lanaix.bin";

std::vector<uint8_t> read_firmware(std::string path) {
    if (path.empty()) {
        path = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "firmware" / "lanaix.bin";
        if (!fs::exists(path))
            path = INSTALLED_FIRMWARE;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file || !fs::is_regular_file(path))
        throw std::runtime_error("firmware " + path + ": cannot be read (--firmware FILE names another one)");
    if (fs::file_size(path) > 16u << 20)
        throw std::runtime_error("firmware " + path + ": " + std::to_string(fs::file_size(path)) +
                                 " bytes, more than any card's SRAM");
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

Machines::Machines(const FabricOptions& o, bool sessions_from_seed) : faults_(o.seed) {
    const CardProfile card = load_card_profile(o.card);
    const HostProfile profile = load_host_profile(o.host_profile);
    const unsigned all = o.hosts + o.guests;
    if (all == 0 || all > HOSTS_MAX)
        throw std::runtime_error(fmt::format("{} hosts and {} guests: 1 to {} together are possible", o.hosts, o.guests,
                                             HOSTS_MAX));
    network_ = std::make_unique<Network>(scheduler_, one_crossbar(all), FabricParameters{}, &faults_);
    const uint64_t first_mac = seeded({o.seed, 0x6d6163});
    for (unsigned n = 0; n < all; n++) {
        const uint64_t low = (first_mac + n) & 0xffffff;
        const Card::Identity identity{MAC_PREFIX | low, static_cast<uint32_t>(100'000 + low % 900'000)};
        const std::string name = "n" + std::to_string(n);
        LinkPort& link = network_->host_port(n);
        if (n < o.hosts) {
            hosts_.push_back(
                std::make_unique<EmulatedHost>(scheduler_, timeline_, n, name, card, profile, link, identity));
            drivers_.push_back(
                std::make_unique<HostDriver>(scheduler_, *hosts_.back(), link, sessions_from_seed ? o.seed : 0));
            cards_.push_back(&hosts_.back()->card());
        } else {
            guests_.push_back(
                std::make_unique<GuestHost>(scheduler_, timeline_, n, name, card, profile, link, identity));
            cards_.push_back(&guests_.back()->card());
        }
        cards_.back()->set_idle_skipping(o.idle_skipping);
    }
    stops_told_.resize(all);
    boot(o.firmware);
    set_peers();
    for (const auto& driver : drivers_)
        driver->watch(booted_, o.watchdog_ms);
    for (size_t kind = 0; kind < o.faults.size(); kind++)
        if (o.faults[kind] != 0)
            faults_.set_probability(static_cast<myri_fault>(kind), o.faults[kind]);
    for (unsigned n = 0; n < all && o.faults[MYRI_FAULT_CORRUPT_SRAM] != 0; n++)
        cards_[n]->enable_faults(faults_, n);
    // Which of a guest's memory is message data is not known here.
    for (unsigned n = 0; n < o.hosts && o.faults[MYRI_FAULT_CORRUPT_PCI] != 0; n++)
        hosts_[n]->bus().enable_faults(faults_, n);
}

std::vector<HostDriver*> Machines::drivers() {
    std::vector<HostDriver*> all;
    for (const auto& driver : drivers_)
        all.push_back(driver.get());
    return all;
}

std::vector<GuestHost*> Machines::guests() {
    std::vector<GuestHost*> all;
    for (const auto& guest : guests_)
        all.push_back(guest.get());
    return all;
}

std::map<std::string, CardOnCable> Machines::guest_cards() {
    std::map<std::string, CardOnCable> all;
    for (size_t n = hosts_.size(); n < cards_.size(); n++)
        all[name(n)] = {cards_[n], &network_->host_port(static_cast<unsigned>(n))};
    return all;
}

const std::string& Machines::name(size_t n) const {
    return n < hosts_.size() ? hosts_[n]->name() : guests_[n - hosts_.size()]->name();
}

std::vector<myri_peer> Machines::peers(size_t from) const {
    std::vector<myri_peer> peers;
    for (size_t to = 0; to < cards_.size(); to++) {
        myri_peer peer{};
        peer.mac = cards_[to]->identity().mac;
        fmt::format_to_n(peer.name, sizeof peer.name - 1, "{}:0", name(to));
        const std::vector<uint8_t> route = network_->route(static_cast<unsigned>(from), static_cast<unsigned>(to));
        peer.route_length = static_cast<uint32_t>(route.size());
        std::copy_n(route.begin(), std::min(route.size(), sizeof peer.route), peer.route);
        peers.push_back(peer);
    }
    return peers;
}

void Machines::boot(const std::string& firmware) {
    const std::vector<uint8_t> image = read_firmware(firmware);
    for (const auto& host : hosts_)
        host->boot(image);
}

void Machines::set_peers() {
    size_t done = 0;
    std::string problem;
    const Time begin = scheduler_.now();
    for (unsigned from = 0; from < hosts_.size(); from++) {
        drivers_[from]->set_peers(begin, peers(from), [&, from](Time, int status) {
            done++;
            if (status)
                problem = "host " + hosts_[from]->name() + ": peer table: " + std::strerror(-status) + ": " +
                          (hosts_[from]->log().empty() ? "no reason given" : hosts_[from]->log().back());
        });
    }
    const Time latest = begin + milliseconds(1000);
    while (done < hosts_.size() && timeline_.step(latest)) {
    }
    if (done < hosts_.size())
        problem = "the firmware has not taken the peer table within 1 s of virtual time";
    if (!problem.empty())
        throw std::runtime_error(problem);
    booted_ = scheduler_.now() + milliseconds(1);
    timeline_.run_until(booted_);
}

std::vector<std::string> Machines::new_stops() {
    std::vector<std::string> lines;
    for (size_t n = 0; n < cards_.size(); n++) {
        std::string why;
        if (cards_[n]->trapped())
            why = "the card's processor has stopped: " + cards_[n]->trap_reason();
        else if (n < hosts_.size() && !hosts_[n]->stop_reason().empty())
            why = "the card's firmware has stopped: " + hosts_[n]->stop_reason();
        if (!why.empty() && why != stops_told_[n])
            lines.push_back(name(n) + ": " + why);
        stops_told_[n] = std::move(why); // empty once the driver has started it again
    }
    return lines;
}

bool Machines::faulty() const {
    for (int kind = 0; kind < MYRI_FAULT_KINDS; kind++)
        if (faults_.probability(static_cast<myri_fault>(kind)) != 0)
            return true;
    return false;
}

void Machines::follow_faults() {
    for (const auto& host : hosts_) {
        trails_.push_back(std::make_unique<PacketTrail>(host->name(), host->card().sram(), faults_, event_faults_));
        host->card().observe_packets(trails_.back().get());
    }
}

void Machines::end_faults(std::istream& verdicts) {
    for (const auto& trail : trails_)
        trail->finish();
    event_faults_.judge(verdicts);
}

std::string Machines::statistics() const {
    std::string text = faults_.table();
    if (!trails_.empty()) {
        const auto problems = faults_.problems();
        for (const std::string& problem : problems)
            text += "fault not accounted for: " + problem + "\n";
        if (problems.empty())
            text += "each fault has ended once\n";
    }
    for (unsigned n = 0; n < cards_.size(); n++) {
        const HostPortCounters c = network_->host_counters(n);
        text += fmt::format("{}: {} packets ({} bytes) out, {} packets ({} bytes) in, stopped for {} ns\n", name(n),
                            c.packets_out, c.bytes_out, c.packets_in, c.bytes_in, c.stopped / 1000);
        text += fmt::format("{}: card: {} cycles, {} instructions\n", name(n), cards_[n]->cycles(),
                            cards_[n]->instructions());
    }
    return text;
}

} // namespace myri::emulator
