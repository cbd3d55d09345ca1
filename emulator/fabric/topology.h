// SPDX-License-Identifier: BSD-3-Clause
//
// What is cabled to what: hosts, crossbars, cables; and the source route from one host to another.
#pragma once

#include <cstdint>
#include <vector>

namespace myri::emulator {

struct CableEnd {
    enum class Kind { host, crossbar };
    Kind kind = Kind::host;
    unsigned index = 0; // number of the host or crossbar
    unsigned port = 0;  // of the crossbar
    bool operator==(const CableEnd&) const = default;
};
constexpr CableEnd host_end(unsigned host) {
    return {CableEnd::Kind::host, host, 0};
}
constexpr CableEnd crossbar_end(unsigned crossbar, unsigned port) {
    return {CableEnd::Kind::crossbar, crossbar, port};
}

struct Cable {
    CableEnd a, b;
    double metres = 0; // 0: the fabric's default length
};

struct Topology {
    std::vector<unsigned> crossbars; // number of ports of each, 1..32
    std::vector<Cable> cables;       // hosts are numbered from 0 without gaps

    unsigned hosts() const;
    // Throws std::runtime_error that names the cable: unknown crossbar or port, an end used twice, a host
    // number left out, a length out of 0..longest_m.
    void check(double longest_m) const;
    // The other end of the cable in `end`, or nullptr if there is none.
    const CableEnd* peer(const CableEnd& end) const;
    // Route bytes on a shortest path. Throws std::runtime_error if a host does not exist or cannot be
    // reached.
    std::vector<uint8_t> route(unsigned from, unsigned to) const;
};

// Hosts 0..hosts-1 on ports 0..hosts-1 of one crossbar with 16 or, if needed, 32 ports.
Topology one_crossbar(unsigned hosts);

} // namespace myri::emulator
