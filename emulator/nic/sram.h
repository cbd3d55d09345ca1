// SPDX-License-Identifier: BSD-3-Clause
//
// The card's SRAM: a memfd, so that windows of it can be mapped into client processes. Pages that nobody has
// written cost nothing.
#pragma once

#include <cstdint>
#include <span>

namespace myri::emulator {

class Sram {
public:
    // Zeros. Throws std::system_error if the system refuses the memory.
    explicit Sram(uint32_t bytes);
    ~Sram();
    Sram(const Sram&) = delete;
    Sram& operator=(const Sram&) = delete;

    std::span<uint8_t> bytes() const { return bytes_; }
    int fd() const { return fd_; }

private:
    int fd_;
    std::span<uint8_t> bytes_;
};

} // namespace myri::emulator
