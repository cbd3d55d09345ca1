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
    // `event` counts from the opening of the endpoint that has this session.
    void wait(const std::string& host, uint32_t endpoint, uint32_t session, uint32_t event, uint64_t fault_id) {
        waiting_[{host, endpoint, session}][event].push_back(fault_id);
    }
    // Reads all verdicts and ends the faults accordingly. Events behind the last one that a process has judged were
    // never read; those before it that have no verdict stay open.
    void judge(std::istream& verdicts);

private:
    using Endpoint = std::tuple<std::string, uint32_t, uint32_t>; // host, number, session
    void end(uint64_t fault_id, const std::string& verdict);

    FaultInjector& injector_;
    std::map<Endpoint, std::map<uint32_t, std::vector<uint64_t>>> waiting_;
};

} // namespace myri::emulator
