// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/slot_writer.h"

#include <stddef.h>

#include "libmyri/clock.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace myri {

void Window::open(const EndpointMemory& m, Driver* d, uint32_t b, uint32_t e) {
    memory = m.window;
    driver = d;
    board = b;
    endpoint = e;
    card_asleep = m.page && d->attached.time == MYRI_TIME_FREE ? &m.page->card_asleep : nullptr;
}

void Window::store(uint32_t offset, const void* data, uint32_t bytes) {
    if (seam.is_virtual()) {
        const uint32_t bursts = (offset + bytes + 63) / 64 - offset / 64;
        seam.spend(bursts * seam.costs().store);
        seam.record(board << 16 | endpoint, offset, data, bytes);
        return;
    }
    auto* to = reinterpret_cast<volatile uint64_t*>(memory + offset);
    auto* from = static_cast<const uint64_t*>(data);
    for (uint32_t i = 0; i < bytes / 8; ++i)
        to[i] = from[i];
}

void Window::order_before_generation() {
    if (seam.is_virtual()) {
        seam.record(board << 16 | endpoint, 0, nullptr, 0);
        return;
    }
#if defined(__x86_64__)
    _mm_sfence(); // plain stores to write-combined memory are not ordered among themselves
#else
    __sync_synchronize();
#endif
}

void Window::flush_without_hurry() {
    if (seam.is_virtual())
        return;
#if defined(__x86_64__)
    _mm_sfence();
#else
    __sync_synchronize();
#endif
}

void Window::flush_to_card() {
    flush_without_hurry();
    if (!card_asleep)
        return;
    __sync_synchronize(); // the card sets card_asleep, fences, and looks at its slots once more: one of both
                          // sees
    if (*card_asleep) {
        myri_endpoint_ref ref{board, endpoint};
        driver->request(MYRI_WAKE, &ref, sizeof ref);
    }
}

void SlotWriter::post(const SlotAddress& to, uint32_t length, uint32_t argument) {
    const uint32_t slot = (posted_ % FW_SLOTS) * FW_SLOT_SIZE;
    image.dst_session = cpu_to_be32(to.session);
    image.argument = cpu_to_be32(argument);
    image.peer = cpu_to_be16(to.peer);
    image.dst_endpoint = to.endpoint;
    image.type = to.type;
    image.length = cpu_to_be16(static_cast<uint16_t>(length));
    image.generation = cpu_to_be16(static_cast<uint16_t>(FW_GENERATION(posted_, FW_SLOTS)));
    constexpr uint32_t last = offsetof(fw_slot, peer);
    window.store(slot + begin, image.body + begin, last - begin);
    window.order_before_generation();
    window.store(slot + last, &image.peer, 8);
    window.flush_to_card();
    ++posted_;
}

} // namespace myri
