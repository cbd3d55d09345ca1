// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/faults/event_faults.h"

#include <algorithm>
#include <sstream>

namespace myri::emulator {

void EventFaults::end(const Fault& fault, const std::string& verdict) {
    static const std::map<std::string, Fate> fates{
        {"duplicate", Fate::duplicate}, {"mismatch", Fate::packet_mismatch}, {"bad-block", Fate::block_mismatch},
        {"rejected", Fate::rejected},   {"unwanted", Fate::not_wanted},      {"hint", Fate::hint}};
    const myri_fault kind = FaultInjector::kind(fault.id);
    const bool intact = kind == MYRI_FAULT_DUPLICATE || kind == MYRI_FAULT_REORDER;
    if (intact && (verdict == "accepted" || verdict == "hint"))
        injector_.end(fault.id, Fate::delivered);
    else if (fault.beside_data && verdict == "accepted")
        injector_.end(fault.id, Fate::unread);
    else if (const auto fate = fates.find(verdict); fate != fates.end())
        injector_.end(fault.id, fate->second);
    else
        injector_.report(fault.id, "the library's verdict on the damaged data is `" + verdict + "`");
}

void EventFaults::judge(std::istream& verdicts) {
    std::map<Endpoint, uint32_t> last;
    for (std::string line; std::getline(verdicts, line);) {
        std::istringstream words(line);
        std::string host, verdict;
        uint32_t endpoint = 0, session = 0, event = 0;
        words >> host >> endpoint >> std::hex >> session >> std::dec >> event >> verdict;
        const Endpoint key{host, endpoint, session};
        last[key] = std::max(last[key], event);
        const auto here = waiting_.find(key);
        if (here == waiting_.end())
            continue;
        if (const auto faults = here->second.extract(event))
            for (const Fault& fault : faults.mapped())
                end(fault, verdict);
    }
    for (const auto& [key, events] : waiting_)
        for (const auto& [event, faults] : events)
            for (const Fault& fault : faults)
                if (!last.contains(key) || event > last[key])
                    injector_.end(fault.id, Fate::not_wanted);
    waiting_.clear();
}

} // namespace myri::emulator
