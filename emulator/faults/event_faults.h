// SPDX-License-Identifier: BSD-3-Clause
//
// Faults that have reached a process: each waits at the event that tells of its packet or block, for the verdict of
// the process's library (libmyri/verdicts.h).
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/fabric/fault_injector.h"

namespace myri::emulator {

class EventFaults {
public:
    explicit EventFaults(FaultInjector& injector) : injector_(injector) {}
    struct Fault {
        uint64_t id;
        bool beside_data; // it damaged what may not matter, and cannot have damaged message data
    };
    // `event` counts from the opening of the endpoint that has this session.
    void wait(const std::string& host, uint32_t endpoint, uint32_t session, uint32_t event, const Fault& fault) {
        waiting_[{host, endpoint, session}][event].push_back(fault);
    }
    // Reads all verdicts and ends the faults accordingly. Events behind the last one that a process has judged were
    // never read; those before it that have no verdict stay open.
    void judge(std::istream& verdicts);

private:
    using Endpoint = std::tuple<std::string, uint32_t, uint32_t>; // host, number, session
    void end(const Fault& fault, const std::string& verdict);

    FaultInjector& injector_;
    std::map<Endpoint, std::map<uint32_t, std::vector<Fault>>> waiting_;
};

} // namespace myri::emulator
