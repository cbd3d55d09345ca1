// SPDX-License-Identifier: BSD-3-Clause
// A user's buffer: up to 256 segments seen as one stream of bytes.
//
// Concepts: the list is copied, the bytes stay the user's. Offsets and lengths must lie inside `length()`.
// Functions that take a checksum continue it over the bytes; they charge copies and checksums to virtual
// time.
#pragma once

#include <stdint.h>

#include "myriexpress.h"

namespace myri {

class Segments {
public:
    Segments() = default;
    Segments(const Segments&) = delete;
    Segments& operator=(const Segments&) = delete;
    ~Segments() { clear(); }

    // MX_SUCCESS, or what is wrong with the list: MX_BAD_SEG_CNT, MX_BAD_SEG_LIST, MX_NO_RESOURCES.
    static mx_return_t check(const mx_segment_t* list, uint32_t count);
    // Of a checked list. False when memory is short.
    bool set(const mx_segment_t* list, uint32_t count);
    void clear();

    uint32_t length() const { return length_; }

    // The pieces of [offset, offset + bytes), empty ones left out. Returns how many were written, at most
    // `room`.
    uint32_t pieces(uint32_t offset, uint32_t bytes, mx_segment_t* to, uint32_t room) const;
    // The address of the range if it lies in one segment, else nullptr.
    void* contiguous(uint32_t offset, uint32_t bytes) const;

    void gather(uint32_t offset, void* to, uint32_t bytes) const;
    void scatter(uint32_t offset, const void* from, uint32_t bytes) const;
    uint32_t crc(uint32_t crc, uint32_t offset, uint32_t bytes) const;
    uint32_t gather_crc(uint32_t crc, uint32_t offset, void* to, uint32_t bytes) const;
    uint32_t scatter_crc(uint32_t crc, uint32_t offset, const void* from, uint32_t bytes) const;

private:
    template <class F> void each(uint32_t offset, uint32_t bytes, F f) const;

    static constexpr uint32_t inside = 2;
    mx_segment_t few[inside] = {};
    mx_segment_t* more = nullptr;
    uint32_t count = 0;
    uint32_t length_ = 0;
};

} // namespace myri
