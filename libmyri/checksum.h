// SPDX-License-Identifier: BSD-3-Clause
// The end-to-end checksum of abi/message.h: pseudo-header, message header, data.
//
// Concepts: the pseudo-header of a pair of endpoints never changes while both are open, so its checksum is
// computed once for each direction (the prefix) and each packet continues it.
#pragma once

#include <stdint.h>

#include "abi/message.h"

namespace myri {

// Who speaks: MAC << 16 | endpoint.
uint32_t checksum_prefix(uint64_t source, uint64_t destination, uint32_t source_session,
                         uint32_t destination_session);

// Continues a prefix over the header from `kind` to its end.
uint32_t checksum_header(uint32_t prefix, const msg_header& header);

// And over data.
uint32_t checksum_data(uint32_t crc, const void* data, uint32_t bytes);

// Whether the sender asks to go without: a flipped flag bit alone must not switch the check off.
inline bool checksum_absent(const msg_header& header) {
    return (header.flags & MSG_FLAG_NO_CRC) && header.crc.raw == 0;
}

} // namespace myri
