// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fabric/packet_crc.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "abi/lanai.h"

namespace myri::emulator {

namespace {

template <typename Word> constexpr std::array<Word, 256> crc_table(Word polynomial) {
    constexpr unsigned width = 8 * sizeof(Word);
    std::array<Word, 256> table{};
    for (unsigned i = 0; i < 256; ++i) {
        auto crc = static_cast<Word>(Word(i) << (width - 8));
        for (int bit = 0; bit < 8; ++bit)
            crc = static_cast<Word>((crc << 1) ^ ((crc >> (width - 1)) != 0 ? polynomial : 0));
        table[i] = crc;
    }
    return table;
}

constexpr auto table8 = crc_table<uint8_t>(LANAI_CRC8_POLYNOMIAL);
constexpr auto table32 = crc_table<uint32_t>(LANAI_CRC32_POLYNOMIAL);

std::array<uint8_t, 4> big_endian(uint32_t v) {
    return {static_cast<uint8_t>(v >> 24), static_cast<uint8_t>(v >> 16), static_cast<uint8_t>(v >> 8),
            static_cast<uint8_t>(v)};
}

// CRC-8 of everything in front of the CRC-8 on this hop.
uint8_t hop_crc8(const Packet& packet, const Trailer& trailer) {
    uint8_t crc = crc8(std::span(packet.bytes).subspan(packet.route_used));
    return packet.crc32 ? crc8(big_endian(trailer.crc32), crc) : crc;
}

} // namespace

uint8_t crc8(std::span<const uint8_t> bytes, uint8_t crc) {
    for (uint8_t byte : bytes)
        crc = table8[crc ^ byte];
    return crc;
}

uint32_t crc32(std::span<const uint8_t> bytes, uint32_t crc) {
    for (uint8_t byte : bytes)
        crc = (crc << 8) ^ table32[(crc >> 24) ^ byte];
    return crc;
}

Trailer make_trailer(const Packet& packet) {
    Trailer trailer;
    if (packet.crc32)
        trailer.crc32 = crc32(std::span(packet.bytes).subspan(packet.route_length));
    trailer.crc8 = hop_crc8(packet, trailer);
    return trailer;
}

uint8_t crc8_residue(const Packet& packet, const Trailer& trailer) {
    return hop_crc8(packet, trailer) ^ trailer.crc8;
}

uint8_t crc8_forwarded(const Packet& packet, const Trailer& trailer, uint8_t residue) {
    return hop_crc8(packet, trailer) ^ residue;
}

bool crc32_agrees(const Packet& packet, const Trailer& trailer) {
    if (!packet.crc32)
        return true;
    uint32_t first = std::max(packet.route_used, packet.route_length);
    return crc32(std::span(packet.bytes).subspan(first)) == trailer.crc32;
}

void flip_bit(Packet& packet, Trailer& trailer, uint64_t bit) {
    uint64_t bits = uint64_t{8} * packet.wire_length();
    if (bit >= bits)
        throw std::out_of_range("bit " + std::to_string(bit) + " of a packet of " + std::to_string(bits) +
                                " bits");
    uint64_t byte = packet.route_used + bit / 8;
    auto mask = static_cast<uint8_t>(0x80u >> (bit % 8));
    if (byte < packet.bytes.size())
        packet.bytes[byte] ^= mask;
    else if (uint64_t in_trailer = byte - packet.bytes.size(); packet.crc32 && in_trailer < 4)
        trailer.crc32 ^= uint32_t{mask} << (24 - 8 * in_trailer);
    else
        trailer.crc8 ^= mask;
}

} // namespace myri::emulator
