// SPDX-License-Identifier: BSD-3-Clause
//
// The two link checks of a packet, computed on its bytes as they are on the wire.
//
// CRC-8 (x^8 + x^2 + x + 1, register starts at 0) covers everything in front of it on each hop. A crossbar
// shortens the route, so it makes a new one; it sends (new CRC-8) xor (residue of the received packet), which
// keeps damage visible to the end. CRC-32 (0x04c11db7, most significant bit first, no inversion, register
// starts at 0, stored big-endian) covers type and payload and is not touched on the way.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/fabric/packet.h"

namespace myri::emulator {

// Both continue from `crc`; 0 starts.
uint8_t crc8(std::span<const uint8_t> bytes, uint8_t crc = 0);
uint32_t crc32(std::span<const uint8_t> bytes, uint32_t crc = 0);

// What follows the payload on the wire.
struct Trailer {
    uint32_t crc32 = 0; // sent only if packet.crc32
    uint8_t crc8 = 0;
};

// The trailer that the sender puts behind an undamaged packet, its route still whole.
Trailer make_trailer(const Packet& packet);
// 0 if the packet as it is on this hop agrees with its CRC-8.
uint8_t crc8_residue(const Packet& packet, const Trailer& trailer);
// The CRC-8 that a crossbar sends: `packet` is already without the consumed route byte.
uint8_t crc8_forwarded(const Packet& packet, const Trailer& trailer, uint8_t residue);
// True if type and payload as received agree with the CRC-32, or the packet has none. Route bytes that no
// crossbar has consumed are left out, as the sender leaves them out.
bool crc32_agrees(const Packet& packet, const Trailer& trailer);
// Inverts one bit of the packet on the wire: bit 0 is the most significant one of its first byte, the last
// wire_length() * 8 - 1.
void flip_bit(Packet& packet, Trailer& trailer, uint64_t bit);

} // namespace myri::emulator
