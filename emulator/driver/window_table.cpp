// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/window_table.h"

#include <algorithm>
#include <cerrno>

namespace myri::emulator {
namespace {

constexpr uint64_t PAGE = 4096;

// Cuts a byte stream of segments into pieces, block by block.
class ListBuilder {
public:
    explicit ListBuilder(uint64_t length)
        : list_((length + WIRE_BLOCK_SIZE - 1) / WIRE_BLOCK_SIZE * FW_WINDOW_PIECES) {}
    // False: too many pieces in this block.
    bool append(uint64_t bus, uint64_t length) {
        while (length > 0) {
            const uint64_t block = place_ / WIRE_BLOCK_SIZE;
            pieces_ = place_ % WIRE_BLOCK_SIZE == 0 ? 0 : pieces_;
            if (pieces_ == FW_WINDOW_PIECES)
                return false;
            const uint64_t part =
                std::min({length, PAGE - bus % PAGE, WIRE_BLOCK_SIZE - place_ % WIRE_BLOCK_SIZE});
            list_[block * FW_WINDOW_PIECES + pieces_++] = {cpu_to_be64(bus), cpu_to_be32(static_cast<uint32_t>(part)),
                                                           {}};
            bus += part;
            place_ += part;
            length -= part;
        }
        return true;
    }
    std::vector<fw_piece> take() { return std::move(list_); }

private:
    std::vector<fw_piece> list_;
    uint64_t place_ = 0;
    uint32_t pieces_ = 0; // in the present block
};

} // namespace

int WindowTable::add(RegisteredMemory& memory, std::span<const myri_segment> segments, bool writable,
                     Added& added) {
    uint64_t length = 0;
    for (const myri_segment& segment : segments) {
        if (segment.length > FW_WINDOW_MAX - length)
            return -E2BIG;
        length += segment.length;
    }
    if (length == 0)
        return -EINVAL;
    for (const myri_segment& segment : segments)
        if (const int status = segment.length ? memory.check(segment.address, segment.length, writable) : 0)
            return status;
    const auto free = std::ranges::find(windows_, Window::State::free, &Window::state);
    if (free == windows_.end())
        return -ENOSPC;

    ListBuilder builder(length);
    std::vector<uint64_t> on_bus;
    bool fits = true;
    for (const myri_segment& segment : segments) {
        if (segment.length == 0)
            continue;
        const uint64_t page = segment.address / PAGE * PAGE;
        const uint64_t offset = segment.address - page;
        const uint64_t bytes = (offset + segment.length + PAGE - 1) / PAGE * PAGE;
        on_bus.push_back(bus_.add(bytes, memory.pages(page, writable)));
        fits = builder.append(on_bus.back() + offset, segment.length);
        if (!fits)
            break;
    }
    if (!fits) {
        for (const uint64_t bus : on_bus)
            bus_.remove(bus);
        return -E2BIG;
    }
    free->state = Window::State::used;
    free->generation = free->generation == 0xffff ? uint16_t{1} : static_cast<uint16_t>(free->generation + 1);
    free->list = builder.take();
    const std::span bytes(reinterpret_cast<uint8_t*>(free->list.data()), free->list.size() * sizeof(fw_piece));
    on_bus.push_back(bus_.add(bytes.size(), std::make_shared<PlainRange>(bytes)));
    free->on_bus = std::move(on_bus);
    added.window = static_cast<uint32_t>(free - windows_.begin());
    added.generation = free->generation;
    added.length = static_cast<uint32_t>(length);
    added.list = free->on_bus.back();
    added.writable = writable;
    free->told = added;
    return 0;
}

int WindowTable::retire(uint32_t window, uint32_t generation) {
    if (window >= FW_WINDOWS || windows_[window].state != Window::State::used ||
        windows_[window].generation != generation)
        return -EINVAL;
    windows_[window].state = Window::State::retiring;
    return 0;
}

std::vector<WindowTable::Added> WindowTable::used() const {
    std::vector<Added> all;
    for (const Window& window : windows_)
        if (window.state == Window::State::used)
            all.push_back(window.told);
    return all;
}

void WindowTable::release(uint32_t window) {
    Window& w = windows_[window];
    for (const uint64_t bus : w.on_bus)
        bus_.remove(bus);
    w.on_bus.clear();
    w.list.clear();
    w.state = Window::State::free;
}

void WindowTable::release_all() {
    for (uint32_t n = 0; n < FW_WINDOWS; n++)
        release(n);
}

} // namespace myri::emulator
