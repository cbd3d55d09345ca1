// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include "firmware/linker/object_file.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <gelf.h>

namespace myri::linker {
namespace {

constexpr unsigned machine_lanai = 244;

class Reader {
public:
    explicit Reader(const std::string& path) : path_(path) {
        std::ifstream file(path, std::ios::binary);
        if (!file)
            fail("cannot be opened: {}", std::strerror(errno));
        content_.assign(std::istreambuf_iterator<char>(file), {});
        if (file.bad())
            fail("cannot be read");
        check_header();
        elf_version(EV_CURRENT);
        elf_.reset(elf_memory(content_.data(), content_.size()));
        if (!elf_ || elf_getshdrnum(elf_.get(), &section_count_) != 0)
            fail("truncated file: {}", elf_errmsg(-1));
    }

    ObjectFile read() {
        ObjectFile object;
        object.path = path_;
        for (size_t i = 0; i < section_count_; ++i)
            object.sections.push_back(read_section(i));
        for (size_t i = 0; i < section_count_; ++i)
            if (header(i).sh_type == SHT_SYMTAB)
                read_symbols(i, object);
        for (size_t i = 0; i < section_count_; ++i)
            read_relocations(i, object);
        return object;
    }

private:
    template <typename... Args>
    [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
        throw std::runtime_error(path_ + ": " + fmt::format(text, std::forward<Args>(args)...));
    }

    void check_header() const {
        const auto* e = reinterpret_cast<const unsigned char*>(content_.data());
        if (content_.size() < SELFMAG || std::memcmp(e, ELFMAG, SELFMAG) != 0)
            fail("not a LANai object: no ELF header");
        if (content_.size() < sizeof(Elf32_Ehdr))
            fail("truncated file: {} bytes are less than an ELF header", content_.size());
        const unsigned type = e[16] << 8 | e[17];
        const unsigned machine = e[18] << 8 | e[19];
        if (e[EI_CLASS] != ELFCLASS32 || e[EI_DATA] != ELFDATA2MSB || machine != machine_lanai)
            fail("not a LANai object: need 32-bit big-endian ELF of machine {}, found class {}, data {}, "
                 "machine {}",
                 machine_lanai, e[EI_CLASS], e[EI_DATA], machine);
        if (type != ET_REL)
            fail("not a relocatable object: ELF type is {}, need {}", type, ET_REL);
        const uint64_t headers = uint64_t{e[32]} << 24 | e[33] << 16 | e[34] << 8 | e[35];
        const uint64_t end = headers + sizeof(Elf32_Shdr) * static_cast<unsigned>(e[48] << 8 | e[49]);
        if (end > content_.size())
            fail("truncated file: its section headers end at byte {}, the file has {}", end, content_.size());
    }

    GElf_Shdr header(size_t index) const {
        GElf_Shdr h;
        if (index >= section_count_ || !gelf_getshdr(elf_getscn(elf_.get(), index), &h))
            fail("truncated file: no header for section {}", index);
        return h;
    }

    std::string text(size_t strings, size_t offset) const {
        const char* s = elf_strptr(elf_.get(), strings, offset);
        if (!s)
            fail("truncated file: string {} of section {} is missing", offset, strings);
        return s;
    }

    Elf_Data* data(size_t index) const {
        const GElf_Shdr h = header(index);
        if (h.sh_type != SHT_NOBITS &&
            (h.sh_offset > content_.size() || h.sh_size > content_.size() - h.sh_offset))
            fail("truncated file: section {} ends at byte {}, the file has {}", index,
                 h.sh_offset + h.sh_size, content_.size());
        Elf_Data* d = elf_getdata(elf_getscn(elf_.get(), index), nullptr);
        if (!d)
            fail("section {}: {}", index, elf_errmsg(-1));
        return d;
    }

    Section read_section(size_t index) const {
        Section s;
        const GElf_Shdr h = header(index);
        s.allocated = (h.sh_flags & SHF_ALLOC) != 0;
        if (!s.allocated)
            return s;
        size_t strings = 0;
        if (elf_getshdrstrndx(elf_.get(), &strings) != 0)
            fail("truncated file: no section names");
        s.name = text(strings, h.sh_name);
        s.executable = (h.sh_flags & SHF_EXECINSTR) != 0;
        s.writable = (h.sh_flags & SHF_WRITE) != 0;
        s.has_bits = h.sh_type != SHT_NOBITS;
        s.size = static_cast<uint32_t>(h.sh_size);
        s.alignment = h.sh_addralign ? static_cast<uint32_t>(h.sh_addralign) : 1;
        if ((s.alignment & (s.alignment - 1)) != 0)
            fail("section {}: alignment {} is no power of two", s.name, s.alignment);
        // llvm-mc leaves the alignment of a hand-written section at 1, but an instruction needs 4.
        if (s.executable && s.alignment < 4)
            s.alignment = 4;
        if (s.has_bits && s.size) {
            const auto* bytes = static_cast<const uint8_t*>(data(index)->d_buf);
            s.bytes.assign(bytes, bytes + s.size);
        }
        return s;
    }

    void read_symbols(size_t index, ObjectFile& object) const {
        const GElf_Shdr h = header(index);
        Elf_Data* d = data(index);
        for (int i = 0; static_cast<size_t>(i) < h.sh_size / sizeof(Elf32_Sym); ++i) {
            GElf_Sym g;
            if (!gelf_getsym(d, i, &g))
                fail("truncated file: symbol {} is missing", i);
            Symbol s;
            s.name = text(h.sh_link, g.st_name);
            s.value = static_cast<uint32_t>(g.st_value);
            s.size = static_cast<uint32_t>(g.st_size);
            s.weak = GELF_ST_BIND(g.st_info) == STB_WEAK;
            s.global = s.weak || GELF_ST_BIND(g.st_info) == STB_GLOBAL;
            const auto type = GELF_ST_TYPE(g.st_info);
            s.named =
                type != STT_SECTION && type != STT_FILE && !s.name.empty() && s.name.rfind(".L", 0) != 0;
            if (g.st_shndx == SHN_ABS) {
                s.place = Symbol::Place::absolute;
            } else if (g.st_shndx == SHN_COMMON) {
                fail("symbol {} is a common symbol: compile with -fno-common", s.name);
            } else if (g.st_shndx != SHN_UNDEF) {
                if (g.st_shndx >= object.sections.size())
                    fail("symbol {}: section {} does not exist", s.name, g.st_shndx);
                s.place = Symbol::Place::section;
                s.section = g.st_shndx;
            }
            object.symbols.push_back(std::move(s));
        }
    }

    void read_relocations(size_t index, ObjectFile& object) const {
        const GElf_Shdr h = header(index);
        if (h.sh_type != SHT_RELA && h.sh_type != SHT_REL)
            return;
        if (h.sh_info >= object.sections.size())
            fail("relocation section {}: section {} does not exist", index, h.sh_info);
        Section& target = object.sections[h.sh_info];
        if (!target.allocated)
            return;
        if (h.sh_type == SHT_REL)
            fail("section {}: relocations without addend (REL), LANai objects have RELA", target.name);
        Elf_Data* d = data(index);
        for (int i = 0; static_cast<size_t>(i) < h.sh_size / sizeof(Elf32_Rela); ++i) {
            GElf_Rela g;
            if (!gelf_getrela(d, i, &g))
                fail("truncated file: relocation {} of section {} is missing", i, target.name);
            const Relocation r{
                static_cast<uint32_t>(g.r_offset), static_cast<uint32_t>(GELF_R_TYPE(g.r_info)),
                static_cast<uint32_t>(GELF_R_SYM(g.r_info)), static_cast<uint32_t>(g.r_addend)};
            if (r.symbol >= object.symbols.size())
                fail("section {}, relocation at {:#x}: symbol {} does not exist", target.name, r.offset,
                     r.symbol);
            if (r.offset > target.bytes.size() || target.bytes.size() - r.offset < 4)
                fail("section {}, relocation at {:#x}: outside the section's {} bytes", target.name, r.offset,
                     target.bytes.size());
            target.relocations.push_back(r);
        }
    }

    struct EndElf {
        void operator()(Elf* e) const { elf_end(e); }
    };
    const std::string path_;
    std::vector<char> content_;
    std::unique_ptr<Elf, EndElf> elf_;
    size_t section_count_ = 0;
};

} // namespace

ObjectFile read_object(const std::string& path) {
    return Reader(path).read();
}

} // namespace myri::linker
