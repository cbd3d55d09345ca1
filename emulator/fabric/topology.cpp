// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fabric/topology.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>

#include "abi/lanai.h"

namespace myri::emulator {

namespace {

constexpr unsigned LARGEST_CROSSBAR = 32; // the most that a 6-bit port difference can span

std::string name(const CableEnd& end) {
    if (end.kind == CableEnd::Kind::host)
        return "host " + std::to_string(end.index);
    return "crossbar " + std::to_string(end.index) + " port " + std::to_string(end.port);
}

[[noreturn]] void fail(const std::string& text) {
    throw std::runtime_error("topology: " + text);
}

} // namespace

unsigned Topology::hosts() const {
    unsigned count = 0;
    for (const Cable& cable : cables)
        for (const CableEnd& end : {cable.a, cable.b})
            if (end.kind == CableEnd::Kind::host)
                count = std::max(count, end.index + 1);
    return count;
}

void Topology::check(double longest_m) const {
    for (size_t i = 0; i < crossbars.size(); ++i)
        if (crossbars[i] < 1 || crossbars[i] > LARGEST_CROSSBAR)
            fail("crossbar " + std::to_string(i) + " has " + std::to_string(crossbars[i]) +
                 " ports, allowed are 1.." + std::to_string(LARGEST_CROSSBAR));
    std::vector<CableEnd> seen;
    unsigned host_ends = 0;
    for (const Cable& cable : cables) {
        if (!(cable.metres >= 0 && cable.metres <= longest_m))
            fail("the cable at " + name(cable.a) + " is " + std::to_string(cable.metres) +
                 " m long, allowed are 0.." + std::to_string(longest_m));
        for (const CableEnd& end : {cable.a, cable.b}) {
            if (end.kind == CableEnd::Kind::host && end.port != 0)
                fail(name(end) + " port " + std::to_string(end.port) + ": a host has one port, 0");
            if (end.kind == CableEnd::Kind::crossbar && end.index >= crossbars.size())
                fail(name(end) + ": there are " + std::to_string(crossbars.size()) + " crossbars");
            if (end.kind == CableEnd::Kind::crossbar && end.port >= crossbars[end.index])
                fail(name(end) + ": it has " + std::to_string(crossbars[end.index]) + " ports");
            if (std::find(seen.begin(), seen.end(), end) != seen.end())
                fail(name(end) + " has two cables");
            seen.push_back(end);
            host_ends += end.kind == CableEnd::Kind::host;
        }
    }
    if (host_ends != hosts())
        fail("the highest host number is " + std::to_string(hosts() - 1) + ", but only " +
             std::to_string(host_ends) + " hosts have a cable");
}

const CableEnd* Topology::peer(const CableEnd& end) const {
    for (const Cable& cable : cables) {
        if (cable.a == end)
            return &cable.b;
        if (cable.b == end)
            return &cable.a;
    }
    return nullptr;
}

std::vector<uint8_t> Topology::route(unsigned from, unsigned to) const {
    struct Visit { // how the search came into a crossbar
        CableEnd entry;
        std::vector<uint8_t> route;
    };
    const CableEnd* first = peer(host_end(from));
    if (!first)
        fail(name(host_end(from)) + " has no cable");
    if (*first == host_end(to))
        return {};
    std::deque<Visit> queue;
    std::vector<bool> seen(crossbars.size(), false);
    auto enter = [&](const CableEnd& entry, std::vector<uint8_t> route) {
        if (entry.kind == CableEnd::Kind::crossbar && !seen[entry.index]) {
            seen[entry.index] = true;
            queue.push_back({entry, std::move(route)});
        }
    };
    enter(*first, {});
    while (!queue.empty()) {
        const Visit visit = std::move(queue.front());
        queue.pop_front();
        for (unsigned port = 0; port < crossbars[visit.entry.index]; ++port) {
            const CableEnd* next = peer(crossbar_end(visit.entry.index, port));
            if (!next)
                continue;
            std::vector<uint8_t> route = visit.route;
            route.push_back(static_cast<uint8_t>(
                LANAI_ROUTE_DELTA(static_cast<int>(port) - static_cast<int>(visit.entry.port))));
            if (*next == host_end(to))
                return route;
            enter(*next, std::move(route));
        }
    }
    fail("no path from host " + std::to_string(from) + " to host " + std::to_string(to));
}

Topology one_crossbar(unsigned hosts) {
    if (hosts < 1 || hosts > LARGEST_CROSSBAR)
        fail(std::to_string(hosts) + " hosts on one crossbar, allowed are 1.." +
             std::to_string(LARGEST_CROSSBAR));
    Topology topology;
    topology.crossbars = {hosts <= 16 ? 16u : 32u};
    for (unsigned i = 0; i < hosts; ++i)
        topology.cables.push_back({host_end(i), crossbar_end(0, i)});
    return topology;
}

} // namespace myri::emulator
