// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include "firmware/linker/link.h"
#include "firmware/linker/layout.h"
#include "firmware/linker/map_file.h"
#include "firmware/linker/relocation.h"
#include "firmware/linker/symbols.h"

#include <deque>

namespace myri::linker {
namespace {

// The linker's own symbols come from an object like any other, so that a second definition is found.
ObjectFile linker_object() {
    ObjectFile object;
    object.path = "lanai-ld";
    for (const char* name : {"__bss_start", "__bss_end", "__image_end", "__constants_end"}) {
        Symbol symbol;
        symbol.name = name;
        symbol.place = Symbol::Place::absolute;
        symbol.global = true;
        object.symbols.push_back(symbol);
    }
    return object;
}

} // namespace

LinkResult link(const LinkOptions& options) {
    std::deque<ObjectFile> objects; // never moves an object: Symbols points into them
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
    const uint32_t values[] = {layout.bss_start, layout.bss_end, layout.image_end, layout.constants_end};
    for (size_t i = 0; i < std::size(values); ++i)
        objects.front().symbols[i].value = values[i];

    return {build_image(objects, symbols, layout), map_text(objects, layout)};
}

} // namespace myri::linker
