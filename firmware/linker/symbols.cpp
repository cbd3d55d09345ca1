// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include "firmware/linker/symbols.h"

#include <set>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace myri::linker {

Section* Definition::section() const {
    return symbol && symbol->place == Symbol::Place::section ? &object->sections[symbol->section] : nullptr;
}

uint32_t Definition::value() const {
    if (!symbol)
        return 0;
    return symbol->value + (section() ? section()->address : 0);
}

bool is_start(const Section& section) {
    return section.name == ".text.start";
}

bool is_fixed(const Section& section) {
    return section.name.rfind(".at.", 0) == 0;
}

Symbols::Symbols(std::deque<ObjectFile>& objects) {
    for (auto& object : objects) {
        for (auto& symbol : object.symbols) {
            if (!symbol.global || symbol.place == Symbol::Place::undefined)
                continue;
            Definition& known = globals_[symbol.name];
            if (known.symbol && !known.symbol->weak && !symbol.weak) {
                const auto where = [](const Definition& d) {
                    return d.section() ? fmt::format("{} (section {})", d.object->path, d.section()->name)
                                       : d.object->path;
                };
                throw std::runtime_error(fmt::format("{}: symbol {} is defined already in {}",
                                                     where({&object, &symbol}), symbol.name, where(known)));
            }
            if (!known.symbol || (known.symbol->weak && !symbol.weak))
                known = {&object, &symbol};
        }
    }
}

Definition Symbols::resolve(ObjectFile& object, uint32_t index) const {
    Symbol& symbol = object.symbols[index];
    if (!symbol.global) {
        // Relocations without a symbol use the null entry 0: their value is the addend alone.
        if (symbol.place == Symbol::Place::undefined)
            return {};
        return {&object, &symbol};
    }
    const auto found = globals_.find(symbol.name);
    if (found != globals_.end())
        return found->second;
    if (symbol.weak)
        return {};
    throw std::runtime_error(fmt::format("undefined symbol {}", symbol.name));
}

void Symbols::mark_live(std::deque<ObjectFile>& objects) const {
    struct Place {
        ObjectFile* object;
        Section* section;
    };
    std::vector<Place> work;
    std::set<std::string> problems;
    const auto reach = [&](ObjectFile& object, Section& section) {
        if (section.allocated && !section.live) {
            section.live = true;
            work.push_back({&object, &section});
        }
    };
    for (auto& object : objects)
        for (auto& section : object.sections)
            if (is_start(section) || is_fixed(section))
                reach(object, section);
    while (!work.empty()) {
        const Place at = work.back();
        work.pop_back();
        for (const auto& relocation : at.section->relocations) {
            try {
                const Definition d = resolve(*at.object, relocation.symbol);
                if (d.section())
                    reach(*d.object, *d.section());
            } catch (const std::runtime_error& e) {
                problems.insert(
                    fmt::format("{}: section {}: {}", at.object->path, at.section->name, e.what()));
            }
        }
    }
    if (!problems.empty())
        throw std::runtime_error(fmt::format("{}", fmt::join(problems, "\nlanai-ld: ")));
}

} // namespace myri::linker
