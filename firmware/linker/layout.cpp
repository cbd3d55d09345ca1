// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include "firmware/linker/layout.h"
#include "firmware/linker/symbols.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace myri::linker {
namespace {

struct Item {
    const ObjectFile* object;
    Section* section;
};

std::string describe(const Item& item) {
    return fmt::format("{}: section {}", item.object->path, item.section->name);
}

uint64_t align(uint64_t address, uint32_t alignment) {
    return (address + alignment - 1) / alignment * alignment;
}

uint32_t fixed_address(const Item& item) {
    const std::string digits = item.section->name.substr(4);
    uint32_t address = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (error != std::errc() || end != digits.data() + digits.size())
        throw std::runtime_error(
            fmt::format("{}: '{}' is no hexadecimal address below 2^32", describe(item), digits));
    if (address % item.section->alignment != 0)
        throw std::runtime_error(fmt::format("{}: the address is no multiple of the section's alignment {}",
                                             describe(item), item.section->alignment));
    return address;
}

class Placer {
public:
    Placer(uint32_t limit, const char* limit_name) : limit_(limit), limit_name_(limit_name) {}

    void put(const Item& item, uint64_t address) {
        const uint64_t end = address + item.section->size;
        if (end > limit_)
            throw std::runtime_error(fmt::format("{}: its end {:#x} is beyond {:#x}, {}", describe(item), end,
                                                 limit_, limit_name_));
        item.section->address = static_cast<uint32_t>(address);
        if (item.section->size)
            placed_.push_back(item);
    }

    // The first free place for `size` bytes at or above `from`.
    uint64_t find(uint64_t from, uint32_t alignment, uint64_t size) const {
        uint64_t address = align(from, alignment);
        for (bool moved = true; moved;) {
            moved = false;
            for (const auto& other : placed_) {
                const uint64_t start = other.section->address, end = start + other.section->size;
                if (address < end && start < address + size) {
                    address = align(end, alignment);
                    moved = true;
                }
            }
        }
        return address;
    }

    void check_overlaps() {
        std::stable_sort(placed_.begin(), placed_.end(), [](const Item& a, const Item& b) {
            return a.section->address < b.section->address;
        });
        for (size_t i = 1; i < placed_.size(); ++i) {
            const Section& before = *placed_[i - 1].section;
            const Section& after = *placed_[i].section;
            if (before.address + before.size > after.address)
                throw std::runtime_error(fmt::format("{} ({:#x}..{:#x}) overlaps {} ({:#x}..{:#x})",
                                                     describe(placed_[i - 1]), before.address,
                                                     before.address + before.size, describe(placed_[i]),
                                                     after.address, after.address + after.size));
        }
    }

    uint32_t image_end() const {
        uint32_t end = 0;
        for (const auto& item : placed_)
            if (item.section->has_bits)
                end = std::max(end, item.section->address + item.section->size);
        return static_cast<uint32_t>(align(end, 4)); // images are loaded by words
    }

private:
    uint32_t limit_;
    const char* limit_name_;
    std::vector<Item> placed_; // not empty ones
};

} // namespace

Layout place_sections(std::deque<ObjectFile>& objects, uint32_t limit, const char* limit_name) {
    std::vector<Item> start, fixed, flowing[3], bss;
    for (auto& object : objects) {
        for (auto& section : object.sections) {
            if (!section.live)
                continue;
            if (is_start(section))
                start.push_back({&object, &section});
            else if (is_fixed(section))
                fixed.push_back({&object, &section});
            else if (!section.has_bits)
                bss.push_back({&object, &section});
            else
                flowing[section.executable ? 0 : section.writable ? 2 : 1].push_back({&object, &section});
        }
    }
    if (start.empty())
        throw std::runtime_error("no section .text.start: nothing would stand at the reset vector 0");

    Placer placer(limit, limit_name);
    uint64_t next = 0;
    for (const auto& item : start) {
        placer.put(item, align(next, item.section->alignment));
        next = item.section->address + uint64_t{item.section->size};
    }
    for (const auto& item : fixed)
        placer.put(item, fixed_address(item));
    placer.check_overlaps();
    Layout layout;
    for (const auto& kind : flowing) {
        if (&kind == &flowing[2])
            layout.constants_end = static_cast<uint32_t>(align(next, 4));
        for (const auto& item : kind) {
            placer.put(item, placer.find(next, item.section->alignment, item.section->size));
            next = item.section->address + uint64_t{item.section->size};
        }
    }
    layout.image_end = placer.image_end();
    uint32_t alignment = 4;
    uint64_t size = 0;
    for (const auto& item : bss) {
        alignment = std::max(alignment, item.section->alignment);
        size = align(size, item.section->alignment) + item.section->size;
    }
    const uint64_t block = placer.find(next, alignment, align(size, 4));
    uint64_t at = block;
    for (const auto& item : bss) {
        at = align(at, item.section->alignment);
        placer.put(item, at);
        at += item.section->size;
    }
    layout.bss_start = static_cast<uint32_t>(block);
    layout.bss_end = static_cast<uint32_t>(align(at, 4));
    return layout;
}

} // namespace myri::linker
