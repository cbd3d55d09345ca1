// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/segments.h"

#include <stdlib.h>
#include <string.h>

#include "libmyri/clock.h"
#include "libmyri/crc32c.h"

namespace myri {

mx_return_t Segments::check(const mx_segment_t* list, uint32_t count) {
    if (count > MX_MAX_SEGMENTS)
        return MX_BAD_SEG_CNT;
    if (count && !list)
        return MX_BAD_SEG_LIST;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += list[i].segment_length;
        if (list[i].segment_length && !list[i].segment_ptr)
            return MX_BAD_SEG_LIST;
    }
    return sum > 0xffffffffu ? MX_BAD_SEG_LIST : MX_SUCCESS;
}

bool Segments::set(const mx_segment_t* list, uint32_t n) {
    mx_segment_t* to = few;
    if (n > inside) {
        more = static_cast<mx_segment_t*>(malloc(n * sizeof(mx_segment_t)));
        if (!more)
            return false;
        to = more;
    }
    count = 0;
    length_ = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (list[i].segment_length == 0)
            continue;
        to[count++] = list[i];
        length_ += list[i].segment_length;
    }
    return true;
}

void Segments::clear() {
    free(more);
    more = nullptr;
    count = 0;
    length_ = 0;
}

template <class F> void Segments::each(uint32_t offset, uint32_t bytes, F f) const {
    const mx_segment_t* list = more ? more : few;
    for (uint32_t i = 0; bytes; ++i) {
        const uint32_t here = list[i].segment_length;
        if (offset >= here) {
            offset -= here;
            continue;
        }
        const uint32_t n = here - offset < bytes ? here - offset : bytes;
        f(static_cast<uint8_t*>(list[i].segment_ptr) + offset, n);
        bytes -= n;
        offset = 0;
    }
}

uint32_t Segments::pieces(uint32_t offset, uint32_t bytes, mx_segment_t* to, uint32_t room) const {
    uint32_t n = 0;
    each(offset, bytes, [&](uint8_t* p, uint32_t length) {
        if (n < room)
            to[n++] = mx_segment_t{p, length};
    });
    return n;
}

void* Segments::contiguous(uint32_t offset, uint32_t bytes) const {
    mx_segment_t first{};
    if (pieces(offset, bytes, &first, 1) == 1 && first.segment_length == bytes)
        return first.segment_ptr;
    return nullptr;
}

void Segments::gather(uint32_t offset, void* to, uint32_t bytes) const {
    seam.spend_bytes(seam.costs().copy_byte, bytes);
    auto* t = static_cast<uint8_t*>(to);
    each(offset, bytes, [&](const uint8_t* p, uint32_t n) {
        memcpy(t, p, n);
        t += n;
    });
}

void Segments::scatter(uint32_t offset, const void* from, uint32_t bytes) const {
    seam.spend_bytes(seam.costs().copy_byte, bytes);
    auto* f = static_cast<const uint8_t*>(from);
    each(offset, bytes, [&](uint8_t* p, uint32_t n) {
        memcpy(p, f, n);
        f += n;
    });
}

uint32_t Segments::crc(uint32_t c, uint32_t offset, uint32_t bytes) const {
    seam.spend_bytes(seam.costs().crc_byte, bytes);
    each(offset, bytes, [&](const uint8_t* p, uint32_t n) { c = crc32c(c, p, n); });
    return c;
}

uint32_t Segments::gather_crc(uint32_t c, uint32_t offset, void* to, uint32_t bytes) const {
    seam.spend_bytes(seam.costs().crc_byte + seam.costs().copy_byte, bytes);
    auto* t = static_cast<uint8_t*>(to);
    each(offset, bytes, [&](const uint8_t* p, uint32_t n) {
        c = crc32c_copy(c, t, p, n);
        t += n;
    });
    return c;
}

uint32_t Segments::scatter_crc(uint32_t c, uint32_t offset, const void* from, uint32_t bytes) const {
    seam.spend_bytes(seam.costs().crc_byte + seam.costs().copy_byte, bytes);
    auto* f = static_cast<const uint8_t*>(from);
    each(offset, bytes, [&](uint8_t* p, uint32_t n) {
        c = crc32c_copy(c, p, f, n);
        f += n;
    });
    return c;
}

} // namespace myri
