// SPDX-License-Identifier: BSD-3-Clause
//
// A whole small cluster in one process: one crossbar, N hosts with emulated cards under board/'s code running
// the real firmware image, and test clients in place of the library. Everything happens in virtual time.
//
// A host named `raw` has no card: the test itself sends and receives packets at its end of the cable.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emulator/clock/timeline.h"
#include "emulator/fabric/network.h"
#include "emulator/host/emulated_host.h"
#include "tests/rig/raw_port.h"

namespace myri::rig {

using emulator::EmulatedHost;
using emulator::microseconds;
using emulator::milliseconds;
using emulator::nanoseconds;

struct Options {
    unsigned hosts = 2;
    std::set<unsigned> raw = {};
    std::string card = "M3F-PCIXD-2";
    std::string host = "opteron-8131";
    bool boot = true; // and install the peer tables
    unsigned data_access_extra = 0; // cycles of each SRAM access (CpuTiming)
    emulator::FaultInjector* faults = nullptr;
};

// $MYRI_FIRMWARE, else ../firmware/lanaix.bin beside the program.
Bytes firmware_image();

class Rig {
public:
    explicit Rig(const Options& options = {});

    EmulatedHost& host(unsigned n) { return *hosts_.at(n); }
    RawPort& raw(unsigned n) { return *raw_.at(n); }
    emulator::Network& network() { return network_; }
    emulator::Scheduler& scheduler() { return scheduler_; }
    static uint64_t mac(unsigned host) {
        return 0x0060dd400000 - host * 0x1234;
    }                                                   // falling: indices need sorting
    std::vector<board_peer> peers(unsigned host) const; // as host n's table holds them: index = host number

    // The time of the tests' own code: no card has been run further.
    Time now() const;
    // Runs until `done` says so; false if that is not before `limit` has passed.
    bool run_until(const std::function<bool()>& done, Time limit);
    void run_for(Time duration);
    // Carries out a firmware command and returns its result (0 or -errno).
    int command(unsigned host, uint32_t opcode, std::vector<uint32_t> arguments, uint32_t* value = nullptr);
    void install_peers(unsigned host, const std::vector<board_peer>& peers);
    // board/ for a host, at the present time.
    ::board* board(unsigned host);
    uint32_t counter(unsigned host, fw_counter counter);
    // Throws if a host's firmware does not run any more.
    void check_alive();

private:
    emulator::Scheduler scheduler_;
    emulator::Timeline timeline_{scheduler_};
    emulator::Network network_;
    std::vector<std::unique_ptr<EmulatedHost>> hosts_; // null where raw
    std::vector<std::unique_ptr<RawPort>> raw_;        // null where not
    Time now_ = 0;
};

} // namespace myri::rig
