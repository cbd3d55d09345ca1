// SPDX-License-Identifier: BSD-3-Clause
// Every way in which objects do not link, and that the error names the place.
#include <doctest/doctest.h>

#include "firmware/linker/link.h"
#include "tests/toolchain/object_builder.h"

#include <stdexcept>

using myri::linker::LinkOptions;

namespace {

// The error of linking these objects (a.o, b.o, ..), "" if there is none. The folder is cut from the text.
std::string error_of(const std::vector<std::string>& objects, uint32_t sram = 2u << 20, uint32_t limit = 0) {
    static const ObjectFolder folder; // one for all: thousands of links are tried
    LinkOptions options;
    options.sram = sram;
    options.limit = limit;
    for (const auto& bytes : objects)
        options.objects.push_back(
            folder.put(std::string(1, char('a' + options.objects.size())) + ".o", bytes));
    try {
        myri::linker::link(options);
    } catch (const std::runtime_error& e) {
        std::string text = e.what();
        for (size_t at; (at = text.find(folder.path() + "/")) != std::string::npos;)
            text.erase(at, folder.path().size() + 1);
        return text;
    }
    return "";
}

std::string with_relocation(uint32_t word, uint32_t kind, uint32_t value) {
    ObjectBuilder b;
    const auto text = b.text(".text.start", {1, word});
    b.relocation(text, 4, kind, b.symbol("target", 0xfff1, value));
    return b.bytes();
}

std::string good() {
    ObjectBuilder b;
    const auto text = b.text(".text.start", {0xe0000000, 1});
    const auto data = b.data(".data", {5});
    b.relocation(text, 0, 3, b.symbol("start", text));
    b.relocation(text, 4, 4, b.symbol("value", data, 0, 4));
    return b.bytes();
}

std::string with_fixed(const std::string& name, uint32_t words = 1, uint32_t alignment = 4) {
    ObjectBuilder b;
    b.text(".text.start", {1, 1, 1, 1});
    b.data(name, std::vector<uint32_t>(words, 0), ObjectBuilder::alloc | ObjectBuilder::write, alignment);
    return b.bytes();
}

} // namespace

TEST_CASE("the good object links: the errors below are the fault of what they change") {
    CHECK(error_of({good()}) == "");
    CHECK(error_of({with_fixed(".at.10")}) == "");
    CHECK(error_of({with_relocation(0xf3020000, 1, 0x1fffff)}) == "");
}

TEST_CASE("undefined symbols are all named, with object and section") {
    ObjectBuilder b;
    const auto text = b.text(".text.start", {0, 0});
    b.relocation(text, 0, 3, b.undefined("lost"));
    b.relocation(text, 4, 3, b.undefined("gone"));
    CHECK(error_of({b.bytes()}) == "a.o: section .text.start: undefined symbol gone\n"
                                   "lanai-ld: a.o: section .text.start: undefined symbol lost");
}

TEST_CASE("a second definition names both places") {
    ObjectBuilder b;
    b.symbol("value", b.data(".data.again", {1}));
    CHECK(error_of({good(), b.bytes()}) ==
          "b.o (section .data.again): symbol value is defined already in a.o (section .data)");
}

TEST_CASE("the linker's own names cannot be defined") {
    ObjectBuilder b;
    b.symbol("__bss_end", b.text(".text.start", {1}));
    CHECK(error_of({b.bytes()}) ==
          "a.o (section .text.start): symbol __bss_end is defined already in lanai-ld");
}

TEST_CASE("relocation overflow gives value and range") {
    CHECK(error_of({with_relocation(0xf3020000, 1, 0x200000)}) ==
          "a.o: section .text.start+0x4: symbol target: 21-bit relocation overflow: value 0x200000, "
          "allowed 0..0x1fffff");
    CHECK(error_of({with_relocation(0xf3020000, 2, 0xffffffff)}) ==
          "a.o: section .text.start+0x4: symbol target: 21-bit relocation overflow: value 0xffffffff, "
          "allowed 0..0x1fffff");
    CHECK(error_of({with_relocation(0xe0000000, 3, 0x2000000)}) ==
          "a.o: section .text.start+0x4: symbol target: 25-bit relocation overflow: value 0x2000000, "
          "allowed 0..0x1ffffff");
    CHECK(error_of({with_relocation(0xe0000000, 3, 0x1002)}) ==
          "a.o: section .text.start+0x4: symbol target: 25-bit relocation: value 0x1002 is no multiple of 4");
    CHECK(error_of({with_relocation(0x839a0000, 6, 0x12348000)}) ==
          "a.o: section .text.start+0x4: symbol target: low-half relocation of a load or store overflow: "
          "value 0x8000, allowed 0..0x7fff");
}

TEST_CASE("a relocation of an instruction without that field is refused") {
    // add r0,0 -> r3 with a constant in the high half: what clang makes of a label's address.
    CHECK(error_of({with_relocation(0x01810000, 1, 0x100)}) ==
          "a.o: section .text.start+0x4: symbol target: 21-bit relocation of the word 0x01810000, "
          "which is no SLI or SLS instruction");
    CHECK(error_of({with_relocation(0x01810000, 3, 0x100)}) ==
          "a.o: section .text.start+0x4: symbol target: 25-bit relocation of the word 0x01810000, which is "
          "no branch");
    CHECK(error_of({with_relocation(0xe0000000, 5, 0x100)}) ==
          "a.o: section .text.start+0x4: symbol target: high-half relocation of the word 0xe0000000, "
          "which is no instruction with a 16-bit constant");
    CHECK(error_of({with_relocation(0xf3020000, 6, 0x100)}) ==
          "a.o: section .text.start+0x4: symbol target: low-half relocation of the word 0xf3020000, "
          "which is no instruction with a 16-bit constant");
}

TEST_CASE("an unknown relocation kind is named") {
    CHECK(error_of({with_relocation(0, 7, 0)}) ==
          "a.o: section .text.start+0x4: symbol target: unknown relocation kind 7, known are 0..6");
    CHECK(error_of({with_relocation(0, 255, 0)}) ==
          "a.o: section .text.start+0x4: symbol target: unknown relocation kind 255, known are 0..6");
}

TEST_CASE("what is not a LANai object is refused") {
    CHECK(error_of({"#!/bin/sh\n"}) == "a.o: not a LANai object: no ELF header");
    CHECK(error_of({""}) == "a.o: not a LANai object: no ELF header");
    std::string other = good();
    other[19] = 62; // x86-64
    CHECK(error_of({other}) ==
          "a.o: not a LANai object: need 32-bit big-endian ELF of machine 244, found class 1, "
          "data 2, machine 62");
    other = good();
    other[17] = 2; // an executable
    CHECK(error_of({other}) == "a.o: not a relocatable object: ELF type is 2, need 1");
    LinkOptions options;
    options.objects = {"/nonexistent/x.o"};
    CHECK_THROWS_WITH(myri::linker::link(options),
                      "/nonexistent/x.o: cannot be opened: No such file or directory");
}

TEST_CASE("a file cut anywhere is refused as truncated") {
    const std::string whole = good();
    for (size_t size = 4; size < whole.size(); ++size) {
        INFO("cut to ", size, " bytes");
        const std::string text = error_of({whole.substr(0, size)});
        CHECK(text.rfind("a.o: truncated file: ", 0) == 0);
    }
}

TEST_CASE("a file with any byte damaged links or gets an error, and nothing else happens") {
    const std::string whole = good();
    int refused = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
        for (const char change : {'\x01', '\xff'}) {
            std::string damaged = whole;
            damaged[at] = char(damaged[at] ^ change);
            if (!error_of({damaged}).empty())
                ++refused;
        }
    }
    CHECK(refused > 100);
}

TEST_CASE("image and bss stay clear of the EEPROM area") {
    const auto with_bss = [](uint32_t size) {
        ObjectBuilder b;
        const auto text = b.text(".text.start", {0});
        b.relocation(text, 0, 4, b.symbol("room", b.bss(".bss", size)));
        return b.bytes();
    };
    // 1024 bytes of SRAM: 768 are left, 4 of them text.
    CHECK(error_of({with_bss(764)}, 1024) == "");
    CHECK(error_of({with_bss(765)}, 1024) ==
          "a.o: section .bss: its end 0x301 is beyond 0x300, where the EEPROM area of the SRAM begins");
    CHECK(error_of({with_bss(0x1c)}, 1024, 0x20) == "");
    CHECK(error_of({with_bss(0x20)}, 1024, 0x20) ==
          "a.o: section .bss: its end 0x24 is beyond 0x20, the limit given with --limit");
    CHECK(error_of({with_bss(0xfffffffc)}).find("its end 0x100000000 is beyond") != std::string::npos);
}

TEST_CASE("a fixed section overlaps nothing and has a sensible address") {
    CHECK(error_of({with_fixed(".at.c")}) ==
          "a.o: section .text.start (0x0..0x10) overlaps a.o: section .at.c (0xc..0x10)");
    ObjectBuilder b;
    b.data(".at.104", {1});
    CHECK(error_of({with_fixed(".at.100", 2), b.bytes()}) ==
          "a.o: section .at.100 (0x100..0x108) overlaps b.o: section .at.104 (0x104..0x108)");
    CHECK(error_of({with_fixed(".at.globals")}) ==
          "a.o: section .at.globals: 'globals' is no hexadecimal address below 2^32");
    CHECK(error_of({with_fixed(".at.")}) == "a.o: section .at.: '' is no hexadecimal address below 2^32");
    CHECK(error_of({with_fixed(".at.100000000")}) ==
          "a.o: section .at.100000000: '100000000' is no hexadecimal address below 2^32");
    CHECK(error_of({with_fixed(".at.104", 1, 8)}) ==
          "a.o: section .at.104: the address is no multiple of the section's alignment 8");
    CHECK(error_of({with_fixed(".at.1fff00")}) ==
          "a.o: section .at.1fff00: its end 0x1fff04 is beyond 0x1fff00, "
          "where the EEPROM area of the SRAM begins");
}

TEST_CASE("an image needs something at the reset vector") {
    ObjectBuilder b;
    b.text(".text", {1});
    CHECK(error_of({b.bytes()}) == "no section .text.start: nothing would stand at the reset vector 0");
}
