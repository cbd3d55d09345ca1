// SPDX-License-Identifier: BSD-3-Clause
//
// Frames on the driver's socket (abi/driver.h): a myri_frame, a structure, and descriptors beside them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/driver.h"
#include "emulator/driver/file_descriptor.h"

namespace myri::emulator {

struct Frame {
    myri_frame head{};
    std::vector<uint8_t> body;
    std::vector<FileDescriptor> descriptors;
};

enum class Received {
    frame,     // head, body and descriptors are filled in
    nothing,   // none is there now
    malformed, // shorter, longer or other than its head says; head.request is what it seems to ask, or 0
    closed,    // the peer is gone, or the socket has failed
};

// Never waits. `frame` is overwritten; descriptors that came along are always taken, so none can leak.
Received receive_frame(int socket, Frame& frame);

// Never waits; head.length is set here. False if it could not be sent (the peer is gone or does not read).
bool send_frame(int socket, myri_frame head, std::span<const uint8_t> body, std::span<const int> descriptors = {});

} // namespace myri::emulator
