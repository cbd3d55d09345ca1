// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/host/bus_map.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace myri::emulator {
namespace {

constexpr uint64_t PAGE = 4096;
constexpr uint64_t HIGH_WORD = uint64_t{1} << 32;

bool inside(uint64_t offset, uint64_t length, uint64_t size) {
    return offset < size && length <= size - offset;
}

} // namespace

bool PlainRange::read(Time, uint64_t offset, std::span<uint8_t> out) {
    if (!inside(offset, out.size(), memory_.size()))
        return false;
    std::ranges::copy(memory_.subspan(offset, out.size()), out.begin());
    return true;
}

bool PlainRange::write(Time, uint64_t offset, std::span<const uint8_t> in) {
    if (!inside(offset, in.size(), memory_.size()))
        return false;
    std::ranges::copy(in, memory_.begin() + static_cast<std::ptrdiff_t>(offset));
    return true;
}

uint64_t BusMap::add(uint64_t length, std::shared_ptr<BusRange> range) {
    if (length == 0 || !range)
        throw std::logic_error("bus range of " + std::to_string(length) +
                               " bytes: needs memory of 1 or more");
    // Rings may not cross a multiple of 4 GiB (board/endpoint.c), so nothing that can avoid it does.
    if (length <= HIGH_WORD && next_ / HIGH_WORD != (next_ + length - 1) / HIGH_WORD)
        next_ = (next_ / HIGH_WORD + 1) * HIGH_WORD;
    const uint64_t bus = next_;
    ranges_.emplace(bus, Entry{length, std::move(range)});
    next_ += (length + PAGE - 1) / PAGE * PAGE + PAGE;
    return bus;
}

void BusMap::remove(uint64_t bus) {
    if (ranges_.erase(bus) == 0)
        throw std::logic_error("no bus range begins at " + std::to_string(bus));
}

BusMap::Entry* BusMap::find(uint64_t bus, uint64_t length, uint64_t& offset) {
    auto it = ranges_.upper_bound(bus);
    if (it == ranges_.begin())
        return nullptr;
    --it;
    offset = bus - it->first;
    return inside(offset, length, it->second.length) ? &it->second : nullptr;
}

bool BusMap::message_data(uint64_t bus) {
    uint64_t offset = 0;
    const Entry* entry = find(bus, 1, offset);
    return entry && entry->range->message_data();
}

bool BusMap::dma_read(Time when, uint64_t bus, std::span<uint8_t> out) {
    uint64_t offset = 0;
    Entry* entry = bus_master_ ? find(bus, out.size(), offset) : nullptr;
    return entry && entry->range->read(when, offset, out);
}

bool BusMap::dma_write(Time when, uint64_t bus, std::span<const uint8_t> in) {
    uint64_t offset = 0;
    Entry* entry = bus_master_ ? find(bus, in.size(), offset) : nullptr;
    return entry && entry->range->write(when, offset, in);
}

} // namespace myri::emulator
