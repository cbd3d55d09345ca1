// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// Which definition a name means, and which sections an image needs.
//
// Concepts: a global definition beats a weak one; of several weak ones the first object's counts. A reference
// that nobody defines is an error, or 0 if it is weak. Only sections reachable from .text.start and from
// fixed sections (.at.HEXADDR) are live: helpers that nobody calls cost no SRAM.
#ifndef MYRI_FIRMWARE_LINKER_SYMBOLS_H
#define MYRI_FIRMWARE_LINKER_SYMBOLS_H

#include "firmware/linker/object_file.h"

#include <deque>
#include <map>
#include <string>

namespace myri::linker {

struct Definition {
    ObjectFile* object = nullptr; // null: an undefined weak symbol, value 0
    Symbol* symbol = nullptr;

    Section* section() const; // null for absolute and undefined symbols
    uint32_t value() const;   // final only after layout
};

class Symbols {
public:
    // Throws std::runtime_error on two global definitions of one name. Keeps pointers into `objects`.
    explicit Symbols(std::deque<ObjectFile>& objects);

    // What symbol number `index` of `object` means. Throws std::runtime_error if undefined and not weak.
    Definition resolve(ObjectFile& object, uint32_t index) const;

    // Sets Section::live. Throws one std::runtime_error that lists every undefined symbol.
    void mark_live(std::deque<ObjectFile>& objects) const;

private:
    std::map<std::string, Definition> globals_;
};

bool is_start(const Section& section); // .text.start: placed at 0
bool is_fixed(const Section& section); // .at.HEXADDR

} // namespace myri::linker

#endif
