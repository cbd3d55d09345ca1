// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
// lanai-ld: links LANai objects into a flat image for address 0. The headers beside this file say how.
#include "firmware/linker/link.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

void write_file(const std::string& path, const void* data, size_t size) {
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    file.close();
    if (!file)
        throw std::runtime_error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

} // namespace

// Exit status: 0 linked, 1 the objects do not link or a file cannot be written, 2 wrong usage.
int main(int argc, char** argv) {
    myri::linker::LinkOptions options;
    std::string output, map;
    const CLI::Validator words(
        [](const std::string& text) {
            return std::stoul(text, nullptr, 0) % 4 == 0 ? "" : text + " is no multiple of 4";
        },
        "MULTIPLE OF 4");
    CLI::App app("Links LANai objects into a flat SRAM image for address 0.", "lanai-ld");
    app.add_option("-o", output, "image file to write")->required();
    app.add_option("--map", map, "symbol map to write");
    app.add_option("--sram", options.sram, "bytes of SRAM on the card; the last 256 hold the EEPROM strings")
        ->check(CLI::Range(512u, 8u << 20) & words)
        ->capture_default_str();
    app.add_option("--limit", options.limit, "first address that image and bss must leave alone")
        ->check(CLI::Range(4u, 8u << 20) & words);
    app.add_option("objects", options.objects, "object files (ELF32, big-endian, machine 244)")->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    try {
        const auto result = myri::linker::link(options);
        write_file(output, result.image.data(), result.image.size());
        if (!map.empty())
            write_file(map, result.map.data(), result.map.size());
    } catch (const std::exception& e) {
        fmt::print(stderr, "lanai-ld: {}\n", e.what());
        return 1;
    }
    return 0;
}
