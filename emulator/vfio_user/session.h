// SPDX-License-Identifier: BSD-3-Clause
//
// One client's conversation: what each command must carry, and who answers it. Knows no socket, so that tests can feed
// it whatever they like.
#pragma once

#include <optional>
#include <string>

#include "emulator/vfio_user/device.h"
#include "emulator/vfio_user/guest_memory.h"

namespace myri::emulator::vfio {

class Session {
public:
    Session(Device& device, GuestMemory& memory) : device_(device), memory_(memory) {}
    // The answer, also to a request that wants none (`wants_reply`). Throws ProtocolError if the first request is not a
    // VERSION that suits.
    Reply serve(Message& request);
    static bool wants_reply(const Message& request) { return !(request.head.flags & FLAG_NO_REPLY); }

private:
    static Reply version(const Message& request);
    Reply dma_map(const Message& request);
    Reply dma_unmap(const Message& request);
    Reply dispatch(Message& request);

    Device& device_;
    GuestMemory& memory_;
    bool greeted_ = false;
};

} // namespace myri::emulator::vfio
