// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include "firmware/linker/map_file.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace myri::linker {
namespace {

char letter(const Section& section) {
    if (section.executable)
        return 'T';
    if (!section.has_bits)
        return 'B';
    return section.writable ? 'D' : 'R';
}

} // namespace

std::string map_text(std::deque<ObjectFile>& objects, const Layout& layout) {
    using Line =
        std::tuple<uint32_t, std::string, uint32_t, char>; // address, name, size, type: the sorting order
    std::vector<Line> lines = {
        {layout.bss_start, "__bss_start", 0, 'B'},
        {layout.bss_end, "__bss_end", 0, 'B'},
        {layout.image_end, "__image_end", 0, 'D'},
        {layout.constants_end, "__constants_end", 0, 'R'},
    };
    for (auto& object : objects) {
        for (auto& symbol : object.symbols) {
            const Definition d{&object, &symbol};
            if (symbol.named && d.section() && d.section()->live)
                lines.emplace_back(d.value(), symbol.name, symbol.size, letter(*d.section()));
        }
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const auto& [address, name, size, type] : lines)
        text += fmt::format("{:08x} {:6} {} {}\n", address, size, type, name);
    return text;
}

} // namespace myri::linker
