// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// lanai-ld: links LANai objects into a flat image for address 0. The headers beside this file say how.
#include "firmware/linker/layout.h"
#include "firmware/linker/map_file.h"
#include "firmware/linker/relocation.h"
#include "firmware/linker/symbols.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace myri::linker;

namespace {

constexpr uint32_t eeprom_size = 256; // the card's strings, in the last bytes of SRAM

struct Options {
    std::string output;
    std::string map;
    uint32_t sram = 2u << 20;
    uint32_t limit = 0; // 0: none given
    std::vector<std::string> objects;
};

void write_file(const std::string& path, const void* data, size_t size) {
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    file.close();
    if (!file)
        throw std::runtime_error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

// The linker's own symbols come from an object like any other, so that a second definition is found.
ObjectFile linker_object() {
    ObjectFile object;
    object.path = "lanai-ld";
    for (const char* name : {"__bss_start", "__bss_end", "__image_end"}) {
        Symbol symbol;
        symbol.name = name;
        symbol.place = Symbol::Place::absolute;
        symbol.global = true;
        object.symbols.push_back(symbol);
    }
    return object;
}

void link(const Options& options) {
    std::deque<ObjectFile> objects;
    objects.push_back(linker_object());
    for (const auto& path : options.objects)
        objects.push_back(read_object(path));

    const Symbols symbols(objects);
    symbols.mark_live(objects);

    const uint32_t eeprom = options.sram - eeprom_size;
    const bool limited = options.limit != 0 && options.limit < eeprom;
    const Layout layout =
        place_sections(objects, limited ? options.limit : eeprom,
                       limited ? "the limit given with --limit" : "where the EEPROM area of the SRAM begins");
    const uint32_t values[] = {layout.bss_start, layout.bss_end, layout.image_end};
    for (size_t i = 0; i < 3; ++i)
        objects.front().symbols[i].value = values[i];

    const auto image = build_image(objects, symbols, layout);
    write_file(options.output, image.data(), image.size());
    if (!options.map.empty()) {
        const std::string text = map_text(objects, layout);
        write_file(options.map, text.data(), text.size());
    }
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Links LANai objects into a flat SRAM image for address 0.", "lanai-ld");
    app.add_option("-o", options.output, "image file to write")->required();
    app.add_option("--map", options.map, "symbol map to write");
    app.add_option("--sram", options.sram, "bytes of SRAM on the card; the last 256 hold the EEPROM strings")
        ->check(CLI::Range(512u, 8u << 20))
        ->capture_default_str();
    app.add_option("--limit", options.limit, "first address that image and bss must leave alone")
        ->check(CLI::Range(4u, 8u << 20));
    app.add_option("objects", options.objects, "object files (ELF32, big-endian, machine 244)")->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    try {
        link(options);
    } catch (const std::exception& e) {
        fmt::print(stderr, "lanai-ld: {}\n", e.what());
        return 1;
    }
    return 0;
}
