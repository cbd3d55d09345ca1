// SPDX-License-Identifier: BSD-3-Clause
// The kernel's devices /dev/myri0, /dev/myri1, ... as a Driver.
//
// Concepts
//  board file     one open file for each device; board requests go through it. The boards of the library
//  count the
//                 devices that could be opened, in the order of their numbers.
//  endpoint file  one more open file for each endpoint: its mappings, its requests and its poll() belong to
//  it.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "libmyri/driver.h"

namespace myri {

// The system calls it makes, each answering -1 with errno; tests give others.
struct DeviceCalls {
    int (*open)(const char* path, int flags);
    int (*close)(int fd);
    int (*stat)(const char* path, struct stat* node);
    int (*ioctl)(int fd, unsigned long request, void* structure);
    MapCall map;
    int (*poll)(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* signals);
};
extern const DeviceCalls system_calls;

// Opens all devices that there are. nullptr with a text and a negative errno: ENOENT there is none, ENXIO one
// without a driver behind it, EACCES no right, EPROTO another version of abi/driver.h; others as open gave
// them.
Driver* attach_devices(const DeviceCalls& calls, int& status, AttachFailure& failure);

} // namespace myri
