// SPDX-License-Identifier: BSD-3-Clause
// The bounce area of an endpoint whose card cannot reach the process's memory: large messages are copied through it.
//
// Concepts
//  area    one registered window, behind the rings. The sender copies blocks into it just ahead of their checksums;
//          the receiver's card pulls into it, and each block is copied out while its checksum is computed.
//  share   a fixed part of the area for each grant and each pull handle. Who has a handle has room, so nothing can
//          wait for room but what waits for a handle; the rules for those (large.h) keep sends and receives, and
//          unmatched and matched messages, out of each other's way. A share is as long as a window may be here.
#pragma once

#include <stdint.h>

#include "abi/firmware.h"
#include "libmyri/registration.h"

namespace myri {

class BounceArea {
public:
    // 0, or a negative errno: the driver does not register it, or it is too small.
    int open(RegistrationCache& registrations, uint8_t* memory, uint32_t bytes);

    bool exists() const { return registration != nullptr; }
    uint32_t share_blocks() const { return blocks; }

    // Where a handle's share lies in the registered window, and where the process sees it.
    uint32_t of_grant(unsigned index) const { return index * blocks * WIRE_BLOCK_SIZE; }
    uint32_t of_pull(unsigned index) const { return of_grant(FW_GRANTS + index); }
    uint8_t* memory_at(uint32_t place) const { return memory + place; }

    Registration* window() const { return registration; }

private:
    uint8_t* memory = nullptr;
    uint32_t blocks = 0; // of a share
    Registration* registration = nullptr;
};

} // namespace myri
