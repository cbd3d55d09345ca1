// SPDX-License-Identifier: BSD-3-Clause
//
// What commands print, passed on in the order of virtual time.
//
// Text carries the time at which its command stood when it was taken, and the command's number. It is held back
// until nobody can come up with text of an earlier (time, number).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/clock/scheduler.h"

namespace myri::emulator {

class OutputOrder {
public:
    using Key = std::pair<Time, unsigned>; // time, number of the command
    // `fd`: where it goes, 1 or 2.
    void add(const Key& key, int fd, std::string text);
    // Writes what stands at or before `bound`. Text that nobody takes (a closed pipe) is lost.
    void release(const Key& bound);
    void release_all() { release({NEVER, ~0u}); }
    bool empty() const { return held_.empty(); }
    size_t bytes() const { return bytes_; }

private:
    struct Part {
        int fd;
        std::string text;
    };
    std::map<Key, std::vector<Part>> held_;
    size_t bytes_ = 0; // of text in held_
};

} // namespace myri::emulator
