// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/cpu/profile.h"

#include <algorithm>
#include <cstdio>
#include <istream>

namespace myri::emulator {

Profile::Profile(std::istream& map) {
    std::string line;
    while (std::getline(map, line)) {
        unsigned address, size;
        char type, name[512];
        if (sscanf(line.c_str(), "%8x %u %c %511s", &address, &size, &type, name) == 4 && type == 'T')
            functions_.push_back({address, name});
    }
    functions_.push_back({0, "(no symbol)"});
    std::stable_sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
        return a.address < b.address ||
               (a.address == b.address && a.name == "(no symbol)" && b.name != a.name);
    });
}

void Profile::count(uint32_t pc, uint64_t cycles) {
    const Function* here = &functions_[current_];
    bool last = current_ + 1 == functions_.size();
    if (!started_ || pc < here->address || (!last && pc >= functions_[current_ + 1].address)) {
        auto above = std::upper_bound(functions_.begin(), functions_.end(), pc,
                                      [](uint32_t at, const Function& f) { return at < f.address; });
        current_ = static_cast<size_t>(above - functions_.begin()) - 1;
        functions_[current_].entered++;
        started_ = true;
    }
    functions_[current_].instructions++;
    functions_[current_].cycles += cycles;
}

std::vector<Profile::Function> Profile::used() const {
    std::vector<Function> list;
    for (const Function& f : functions_)
        if (f.instructions != 0)
            list.push_back(f);
    std::stable_sort(list.begin(), list.end(),
                     [](const Function& a, const Function& b) { return a.cycles > b.cycles; });
    return list;
}

} // namespace myri::emulator
