// SPDX-License-Identifier: BSD-3-Clause
#include "tests/rig/slot_writer.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace myri::rig {
namespace {

constexpr uint32_t UNIT = 8, BURST = 64;

} // namespace

void SlotWriter::store(uint32_t offset, std::span<const uint8_t> bytes) {
    if (offset % UNIT != 0 || bytes.size() % UNIT != 0)
        throw std::logic_error("the window is written in units of 8 bytes");
    for (size_t done = 0; done < bytes.size();) {
        const size_t room = BURST - (offset + done) % BURST;
        const auto part = bytes.subspan(done, std::min(room, bytes.size() - done));
        groups_.back().push_back({static_cast<uint32_t>(offset + done), Bytes(part.begin(), part.end())});
        done += part.size();
    }
}

void SlotWriter::barrier() {
    groups_.emplace_back();
}

void SlotWriter::tear(std::vector<Store>& group) {
    std::vector<Store> units;
    for (const Store& s : group)
        for (uint32_t at = 0; at < s.bytes.size(); at += UNIT)
            units.push_back({s.offset + at, Bytes(s.bytes.begin() + at, s.bytes.begin() + at + UNIT)});
    std::shuffle(units.begin(), units.end(), *random_);
    group = std::move(units);
}

Time SlotWriter::flush(Time now) {
    Time last = now;
    for (std::vector<Store>& group : groups_) {
        if (random_)
            tear(group);
        for (Store& s : group) {
            if (random_)
                now += emulator::nanoseconds((*random_)() % 1000);
            last = deliver_(now, s.offset, std::move(s.bytes));
        }
    }
    groups_.assign(1, {});
    return last;
}

Time SlotWriter::post(Time now, const SlotRequest& request) {
    fw_slot slot;
    std::memset(&slot, 0, sizeof slot);
    const auto room = static_cast<uint32_t>((request.body.size() + 7) / 8 * 8);
    if (room > FW_SLOT_BODY)
        throw std::logic_error("a slot has no room for such a body");
    const uint32_t begin = FW_SLOT_BODY - room;
    std::copy(request.body.begin(), request.body.end(), slot.body + begin);
    slot.dst_session = cpu_to_be32(request.session);
    slot.argument = cpu_to_be32(request.argument);
    slot.peer = cpu_to_be16(request.peer);
    slot.dst_endpoint = request.endpoint;
    slot.type = request.type;
    slot.length = cpu_to_be16(request.length.value_or(static_cast<uint16_t>(request.body.size())));
    slot.generation = cpu_to_be16(static_cast<uint16_t>(FW_GENERATION(posted_, FW_SLOTS)));
    const uint32_t at = posted_ % FW_SLOTS * FW_SLOT_SIZE, last = offsetof(fw_slot, peer);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&slot);
    store(at + begin, {bytes + begin, last - begin});
    barrier();
    store(at + last, {bytes + last, UNIT});
    posted_++;
    return flush(now);
}

} // namespace myri::rig
