// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/checksum.h"

#include "libmyri/clock.h"
#include "libmyri/crc32c.h"

namespace myri {

uint32_t checksum_prefix(uint64_t source, uint64_t destination, uint32_t source_session,
                         uint32_t destination_session) {
    msg_pseudo_header p{};
    p.src = cpu_to_be64(source);
    p.dst = cpu_to_be64(destination);
    p.src_session = cpu_to_be32(source_session);
    p.dst_session = cpu_to_be32(destination_session);
    return crc32c(0, &p, sizeof p);
}

uint32_t checksum_header(uint32_t prefix, const msg_header& header) {
    constexpr uint32_t bytes = sizeof header - offsetof(msg_header, kind);
    seam.spend_bytes(seam.costs().crc_byte, bytes);
    return crc32c(prefix, &header.kind, bytes);
}

uint32_t checksum_data(uint32_t crc, const void* data, uint32_t bytes) {
    seam.spend_bytes(seam.costs().crc_byte, bytes);
    return crc32c(crc, data, bytes);
}

} // namespace myri
