// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for file descriptors: sockets, pidfds, pipes. One thread; handlers may watch and forget freely.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "emulator/driver/file_descriptor.h"

namespace myri::emulator {

class EventLoop {
public:
    using Handler = std::function<void()>;
    // Throws std::system_error if the system has no descriptor left.
    EventLoop();
    // Calls `handler` whenever `fd` is readable or hung up, until forget(). Of what is ready at one time, those that
    // are watched `first` are handled first.
    void watch(int fd, Handler handler, bool first = false);
    void forget(int fd);
    // Whether the handler of a watched fd is also called when the fd can be written to.
    void want_room(int fd, bool on);
    // Waits at most `timeout_ms` (0: not at all, -1: for ever) and calls the handlers of what is ready.
    // False if nothing was.
    bool once(int timeout_ms);
    // The same for a time in microseconds, at least 0.
    bool once_us(int64_t timeout_us);

private:
    struct Watch {
        int fd;
        std::shared_ptr<Handler> handler;
        bool first;
    };
    FileDescriptor epoll_;
    std::map<uint64_t, Watch> watches_; // by a number that is never used again: an fd's number is
    std::map<int, uint64_t> numbers_;
    uint64_t next_ = 1;
};

} // namespace myri::emulator
