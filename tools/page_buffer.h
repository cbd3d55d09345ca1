// SPDX-License-Identifier: BSD-3-Clause
//
// A buffer that starts on a page and whose pages exist, so that no benchmark measures page faults.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace myri::tools {

class PageBuffer {
public:
    PageBuffer() = default;
    // Throws Failure if there is not so much memory. 0 bytes are legal.
    explicit PageBuffer(uint32_t bytes);
    ~PageBuffer();
    PageBuffer(PageBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    PageBuffer& operator=(PageBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    std::span<uint8_t> bytes() const { return {data_, bytes_}; }

private:
    uint8_t* data_ = nullptr;
    uint32_t bytes_ = 0;
};

} // namespace myri::tools
