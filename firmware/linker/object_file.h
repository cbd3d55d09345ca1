// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// A relocatable LANai object (ELF32, big-endian, machine 244, RELA) as lanai-ld sees it.
//
// Concepts: an ObjectFile keeps its sections and symbols under their ELF index, so that an index found in a
// relocation or a symbol needs no translation. Only sections with SHF_ALLOC keep their bytes and relocations;
// debug information and the like stay as empty place holders. Later steps fill in `live` and `address`.
#ifndef MYRI_FIRMWARE_LINKER_OBJECT_FILE_H
#define MYRI_FIRMWARE_LINKER_OBJECT_FILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace myri::linker {

struct Relocation {
    uint32_t offset; // of the word in its section
    uint32_t kind;   // R_LANAI_*
    uint32_t symbol; // index in the same object
    uint32_t addend;
};

struct Section {
    std::string name;
    bool allocated = false; // takes part in the link
    bool executable = false;
    bool writable = false;
    bool has_bits = false; // false: bss
    uint32_t size = 0;
    uint32_t alignment = 1;
    std::vector<uint8_t> bytes;
    std::vector<Relocation> relocations;
    bool live = false;    // reachable from a root; the others are dropped
    uint32_t address = 0; // valid after layout
};

struct Symbol {
    enum class Place { undefined, absolute, section };
    std::string name;
    uint32_t value = 0; // offset in its section, or the value itself
    uint32_t size = 0;
    Place place = Place::undefined;
    uint32_t section = 0;
    bool global = false; // visible to other objects (global or weak)
    bool weak = false;
    bool named = false; // not a section or file symbol: belongs in the map
};

struct ObjectFile {
    std::string path;
    std::vector<Section> sections;
    std::vector<Symbol> symbols;
};

// Reads one object. Throws std::runtime_error naming the file and what is wrong with it: unreadable,
// truncated, not a LANai object, or malformed. Nothing in the file is trusted.
ObjectFile read_object(const std::string& path);

} // namespace myri::linker

#endif
