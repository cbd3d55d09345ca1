// SPDX-License-Identifier: BSD-3-Clause
// Builds small LANai objects byte by byte, from the ELF specification, without the compiler or libelf: so a
// test can also make what no compiler would.
#ifndef MYRI_TESTS_TOOLCHAIN_OBJECT_BUILDER_H
#define MYRI_TESTS_TOOLCHAIN_OBJECT_BUILDER_H

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <stdlib.h>
#include <unistd.h>

class ObjectBuilder {
public:
    static constexpr uint32_t write = 1, alloc = 2, exec = 4;

    // Sections and symbols get consecutive numbers from 1.
    uint32_t text(const std::string& name, const std::vector<uint32_t>& words) {
        return add({name, 1, alloc | exec, pack(words), 0, 4, {}});
    }
    uint32_t data(const std::string& name, const std::vector<uint32_t>& words, uint32_t flags = alloc | write,
                  uint32_t alignment = 4) {
        return add({name, 1, flags, pack(words), 0, alignment, {}});
    }
    uint32_t bss(const std::string& name, uint32_t size, uint32_t alignment = 4) {
        return add({name, 8, alloc | write, {}, size, alignment, {}});
    }
    uint32_t symbol(const std::string& name, uint32_t section, uint32_t value = 0, uint32_t size = 0,
                    unsigned binding = 1 /* global */) {
        symbols_.push_back({name, section, value, size, binding});
        return static_cast<uint32_t>(symbols_.size());
    }
    uint32_t undefined(const std::string& name, unsigned binding = 1) {
        return symbol(name, 0, 0, 0, binding);
    }
    void relocation(uint32_t section, uint32_t offset, uint32_t kind, uint32_t symbol, uint32_t addend = 0) {
        sections_[section - 1].relocations.insert(sections_[section - 1].relocations.end(),
                                                  {offset, symbol << 8 | kind, addend});
    }

    std::string bytes() const {
        // Order in the file: header, contents, relocations, symbols, strings, section headers.
        std::string file(52, '\0'), strings(1, '\0');
        std::vector<std::vector<uint32_t>> headers(1, std::vector<uint32_t>(10, 0));
        const uint32_t symtab = 1 + 2 * static_cast<uint32_t>(sections_.size()), strtab = symtab + 1;
        const auto name = [&](const std::string& text) {
            const auto at = static_cast<uint32_t>(strings.size());
            strings += text + '\0';
            return at;
        };
        for (const auto& s : sections_) {
            const auto size = s.type == 8 ? s.bss_size : static_cast<uint32_t>(s.content.size());
            headers.push_back({name(s.name), s.type, s.flags, 0, static_cast<uint32_t>(file.size()), size, 0,
                               0, s.alignment, 0});
            file += s.content;
        }
        uint32_t index = 1;
        for (const auto& s : sections_) {
            const std::string content = pack(s.relocations);
            headers.push_back({name(".rela" + s.name), 4, 0, 0, static_cast<uint32_t>(file.size()),
                               static_cast<uint32_t>(content.size()), symtab, index++, 4, 12});
            file += content;
        }
        std::string table(16, '\0');
        for (const auto& s : symbols_) {
            table += pack({name(s.name), s.value, s.size});
            table += static_cast<char>(s.binding << 4);
            table += '\0';
            table += static_cast<char>(s.section >> 8);
            table += static_cast<char>(s.section);
        }
        headers.push_back({name(".symtab"), 2, 0, 0, static_cast<uint32_t>(file.size()),
                           static_cast<uint32_t>(table.size()), strtab, 1, 4, 16});
        file += table;
        const uint32_t own_name = name(".strtab");
        headers.push_back({own_name, 3, 0, 0, static_cast<uint32_t>(file.size()),
                           static_cast<uint32_t>(strings.size()), 0, 0, 1, 0});
        file += strings;
        const auto at = static_cast<uint32_t>(file.size());
        for (const auto& h : headers)
            file += pack(h);
        file.replace(0, 52,
                     pack({0x7f454c46, 0x01020100, 0, 0, 0x000100f4, 1, 0, 0, at, 0, 0x00340000, 0x00000028,
                           static_cast<uint32_t>(headers.size()) << 16 | strtab}));
        return file;
    }

    static std::string pack(const std::vector<uint32_t>& words) {
        std::string s;
        for (uint32_t w : words)
            for (int shift = 24; shift >= 0; shift -= 8)
                s += static_cast<char>(w >> shift);
        return s;
    }

private:
    struct Section {
        std::string name;
        uint32_t type, flags;
        std::string content;
        uint32_t bss_size, alignment;
        std::vector<uint32_t> relocations;
    };
    struct Symbol {
        std::string name;
        uint32_t section, value, size;
        unsigned binding;
    };
    uint32_t add(Section s) {
        sections_.push_back(std::move(s));
        return static_cast<uint32_t>(sections_.size());
    }
    std::vector<Section> sections_;
    std::vector<Symbol> symbols_;
};

// A folder for object files that goes away with it.
class ObjectFolder {
public:
    ObjectFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "lanai-ld-test-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw std::runtime_error("cannot make a folder " + name);
        path_ = name;
    }
    ~ObjectFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ObjectFolder(const ObjectFolder&) = delete;
    ObjectFolder& operator=(const ObjectFolder&) = delete;

    std::string put(const std::string& name, const std::string& bytes) const {
        const std::string path = path_ + "/" + name;
        std::ofstream file(path, std::ios::binary);
        file << bytes;
        if (!file.flush())
            throw std::runtime_error("cannot write " + path);
        return path;
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

#endif
