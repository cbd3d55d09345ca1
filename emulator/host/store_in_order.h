// SPDX-License-Identifier: BSD-3-Clause
//
// A card's DMA into memory that a processor polls meanwhile: bytes become visible in ascending order, aligned 8 bytes
// at once, so that what was written last tells that all is there.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>

namespace myri::emulator {

inline void store_in_order(uint8_t* to, std::span<const uint8_t> in) {
    for (size_t done = 0; done < in.size();) {
        if (reinterpret_cast<uintptr_t>(to + done) % 8 == 0 && in.size() - done >= 8) {
            uint64_t word;
            std::memcpy(&word, &in[done], 8);
            std::atomic_ref(*reinterpret_cast<uint64_t*>(to + done)).store(word, std::memory_order_release);
            done += 8;
        } else {
            std::atomic_ref(to[done]).store(in[done], std::memory_order_release);
            done++;
        }
    }
}

} // namespace myri::emulator
