// SPDX-License-Identifier: BSD-3-Clause
// The driver as the library sees it: the requests of abi/driver.h, whoever carries them out.
//
// Concepts
//  Driver   one connection to one driver. The emulator's socket is one (driver_socket.h); the kernel's
//  devices and the
//           unit tests' loopback are others. All answers are 0 or a negative errno.
//  moment   in virtual time, the process's clock and how far it may run alone; carried by every request.
//  memory   what opening an endpoint maps into the process.
// Any thread may make requests; in virtual time only one does.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "abi/driver.h"
#include "libmyri/endpoint_memory.h"

namespace myri {

class Driver {
public:
    struct Moment {
        uint64_t now = 0;        // picoseconds
        uint64_t safe_until = 0; // nothing that this process can see changes before
    };
    Moment moment;
    myri_attach attached = {}; // the answer to MYRI_ATTACH
    myri_clock_page* clock_page = nullptr;

    // `structure` of `length` bytes is input and output.
    virtual int request(uint32_t request, void* structure, size_t length);

    // MYRI_ENDPOINT_OPEN with its mappings, and the way back.
    virtual int open(myri_endpoint_open& open, EndpointMemory& memory);
    virtual void close(const myri_endpoint_ref& endpoint, EndpointMemory& memory);

    // MYRI_WAIT; may end early, and does with -EINTR when `wakeup_fd` becomes readable. Several threads may
    // wait for an endpoint; those that are not in the `background` have one descriptor in common.
    virtual int wait(const myri_wait& wait, int wakeup_fd, bool background);

    // Gives back everything, also in a forked child (`forked`), where only the own copies go.
    virtual void shut(bool forked);

protected:
    ~Driver() = default;
};

// What attaching found out, for the error text.
struct AttachFailure {
    char text[512];
};

// Connects to the fabric's socket as `host`. 0 or a negative errno with a text: ENOENT when `host` is empty
// or unknown (the text lists the hosts), EPROTO for another version of abi/driver.h.
// `reachable`: lets it reach this process's memory.
Driver* attach_socket(const char* path, const char* host, bool reachable, int& status, AttachFailure& failure);

} // namespace myri
