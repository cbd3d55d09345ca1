// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include "firmware/linker/relocation.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace myri::linker {
namespace {

enum Kind : uint32_t { none, absolute_21, absolute_21_f, absolute_25, absolute_32, high_16, low_16 };

constexpr uint32_t add_pc_16_to_rca = 0x07880010;
constexpr uint32_t mov_to_rca = 0xf7820000; // SLI with an empty constant

void need(uint32_t value, uint32_t limit, const char* kind) {
    if (value >= limit)
        throw std::runtime_error(
            fmt::format("{} overflow: value {:#x}, allowed 0..{:#x}", kind, value, limit - 1));
}

// A field put into an instruction of another format is silently another program. It does happen: clang gives
// relocations of kind 1 to two-instruction constants when a function takes the address of its own label.
void need_format(uint32_t word, uint32_t from, uint32_t to, const char* kind, const char* format) {
    if (word >> 28 < from || word >> 28 > to)
        throw std::runtime_error(fmt::format("{} of the word {:#010x}, which is no {}", kind, word, format));
}

uint32_t load_word(const uint8_t* p) {
    return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}

void store_word(uint8_t* p, uint32_t word) {
    for (int i = 0; i < 4; ++i)
        p[i] = static_cast<uint8_t>(word >> (24 - 8 * i));
}

void make_returns_absolute(const ObjectFile& object, Section& section) {
    for (uint32_t i = 0; i + 4 <= section.bytes.size(); i += 4) {
        if (load_word(&section.bytes[i]) != add_pc_16_to_rca)
            continue;
        try {
            store_word(&section.bytes[i], relocated(mov_to_rca, absolute_21, section.address + i + 16));
        } catch (const std::runtime_error& e) {
            throw std::runtime_error(fmt::format("{}: section {}+{:#x}: return address: {}", object.path,
                                                 section.name, i, e.what()));
        }
    }
}

void relocate(ObjectFile& object, Section& section, const Symbols& symbols) {
    for (const auto& r : section.relocations) {
        const Definition d = symbols.resolve(object, r.symbol);
        uint8_t* place = &section.bytes[r.offset];
        try {
            store_word(place, relocated(load_word(place), r.kind, d.value() + r.addend));
        } catch (const std::runtime_error& e) {
            const Symbol& symbol = object.symbols[r.symbol];
            const std::string& name = symbol.name.empty() && d.section() ? d.section()->name : symbol.name;
            throw std::runtime_error(fmt::format("{}: section {}+{:#x}: symbol {}: {}", object.path,
                                                 section.name, r.offset, name, e.what()));
        }
    }
}

} // namespace

uint32_t relocated(uint32_t word, uint32_t kind, uint32_t value) {
    switch (kind) {
    case none:
        return word;
    case absolute_21:
    case absolute_21_f:
        need_format(word, 15, 15, "21-bit relocation", "SLI or SLS instruction");
        need(value, 1u << 21, "21-bit relocation");
        if (kind == absolute_21_f)
            value &= ~3u;
        return (word & ~0x007cffffu) | (value >> 16) << 18 | (value & 0xffffu);
    case absolute_25:
        need_format(word, 14, 14, "25-bit relocation", "branch");
        need(value, 1u << 25, "25-bit relocation");
        if (value % 4 != 0)
            throw std::runtime_error(
                fmt::format("25-bit relocation: value {:#x} is no multiple of 4", value));
        return (word & ~0x01fffffcu) | value;
    case absolute_32:
        return value;
    case high_16:
        need_format(word, 0, 7, "high-half relocation", "instruction with a 16-bit constant");
        return (word & ~0xffffu) | value >> 16;
    case low_16:
        need_format(word, 0, 9, "low-half relocation", "instruction with a 16-bit constant");
        // In a load or store the field is sign-extended and no longer fits what HI16 left over.
        if (word >> 28 > 7)
            need(value & 0xffffu, 1u << 15, "low-half relocation of a load or store");
        return (word & ~0xffffu) | (value & 0xffffu);
    default:
        throw std::runtime_error(fmt::format("unknown relocation kind {}, known are 0..6", kind));
    }
}

std::vector<uint8_t> build_image(std::deque<ObjectFile>& objects, const Symbols& symbols,
                                 const Layout& layout) {
    std::vector<uint8_t> image(layout.image_end, 0);
    for (auto& object : objects) {
        for (auto& section : object.sections) {
            if (!section.live || !section.has_bits)
                continue;
            // Before the relocations, so that no relocated word can look like the instruction.
            if (section.executable)
                make_returns_absolute(object, section);
            relocate(object, section, symbols);
            std::copy(section.bytes.begin(), section.bytes.end(), image.begin() + section.address);
        }
    }
    return image;
}

} // namespace myri::linker
