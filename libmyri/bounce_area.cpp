// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/bounce_area.h"

#include <errno.h>

#include "abi/driver.h"

namespace myri {

constexpr uint32_t shares = FW_GRANTS + FW_PULLS;
static_assert(MYRI_BOUNCE_MIN == shares * WIRE_BLOCK_SIZE, "a block for each handle");

int BounceArea::open(RegistrationCache& registrations, uint8_t* at, uint32_t bytes) {
    if (bytes < MYRI_BOUNCE_MIN)
        return -EPROTO;
    const uint32_t used = bytes < FW_WINDOW_MAX ? bytes : FW_WINDOW_MAX;
    blocks = used / shares / WIRE_BLOCK_SIZE;
    memory = at;
    int error = 0;
    registration = registrations.acquire_bounce(shares * blocks * WIRE_BLOCK_SIZE, error);
    return error;
}

} // namespace myri
