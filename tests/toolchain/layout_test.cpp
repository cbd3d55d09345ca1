// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "firmware/linker/link.h"
#include "tests/toolchain/object_builder.h"

using myri::linker::link;

namespace {

constexpr uint32_t nop = 0x00000001;

// start refers to all of `names`, which keeps them.
ObjectBuilder start_with(const std::vector<std::string>& names) {
    ObjectBuilder b;
    const auto start = b.text(".text.start", std::vector<uint32_t>(names.size(), 0));
    for (uint32_t i = 0; i < names.size(); ++i)
        b.relocation(start, 4 * i, 4, b.undefined(names[i]));
    return b;
}

uint32_t word_at(const std::vector<uint8_t>& image, uint32_t address) {
    REQUIRE(address + 4 <= image.size());
    return uint32_t{image[address]} << 24 | uint32_t{image[address + 1]} << 16 |
           uint32_t{image[address + 2]} << 8 | image[address + 3];
}

} // namespace

TEST_CASE("sections are sorted start, text, read-only, data, bss, and bss is not in the image") {
    ObjectBuilder b;
    b.symbol("zero", b.bss(".bss.zero", 12), 0, 12);
    b.symbol("value", b.data(".data", {7}), 0, 4);
    b.symbol("fixed", b.data(".rodata", {8, 9}, ObjectBuilder::alloc), 4, 4);
    b.symbol("code", b.text(".text.code", {nop, nop}), 0, 8);
    ObjectFolder folder;
    const auto r = link({{folder.put("b.o", b.bytes()),
                          folder.put("s.o", start_with({"zero", "value", "fixed", "code"}).bytes())}});
    CHECK(r.image.size() == 0x24);
    CHECK(word_at(r.image, 0) == 0x24);
    CHECK(word_at(r.image, 4) == 0x20);
    CHECK(word_at(r.image, 8) == 0x1c);
    CHECK(word_at(r.image, 12) == 0x10);
    CHECK(word_at(r.image, 0x1c) == 9);
    CHECK(word_at(r.image, 0x20) == 7);
    CHECK(r.map == "00000010      8 T code\n"
                   "0000001c      4 R fixed\n"
                   "00000020      0 R __constants_end\n"
                   "00000020      4 D value\n"
                   "00000024      0 B __bss_start\n"
                   "00000024      0 D __image_end\n"
                   "00000024     12 B zero\n"
                   "00000030      0 B __bss_end\n");
}

TEST_CASE("a fixed section stands at its address and the others flow around it") {
    ObjectBuilder b = start_with({"first", "second", "zero"});
    b.symbol("globals", b.data(".at.20", {0x600d}), 0, 4);
    b.symbol("first", b.text(".text.first", {nop, nop, nop, nop})); // 0xc..0x1c fits before
    b.symbol("second", b.text(".text.second", {nop, nop}));         // does not: goes behind
    b.symbol("zero", b.bss(".bss", 4));
    ObjectFolder folder;
    const auto r = link({{folder.put("a.o", b.bytes())}});
    CHECK(word_at(r.image, 0) == 0xc);
    CHECK(word_at(r.image, 4) == 0x24);
    CHECK(word_at(r.image, 8) == 0x2c);
    CHECK(word_at(r.image, 0x20) == 0x600d);
    CHECK(r.image.size() == 0x2c);
}

TEST_CASE("bss stays in one piece and leaves fixed sections out") {
    ObjectBuilder b = start_with({"a", "b", "__bss_start", "__bss_end"});
    b.data(".at.20", {1});
    b.symbol("a", b.bss(".bss.a", 8));
    b.symbol("b", b.bss(".bss.b", 16, 8));
    ObjectFolder folder;
    const auto r = link({{folder.put("a.o", b.bytes())}});
    CHECK(word_at(r.image, 0) == 0x28);
    CHECK(word_at(r.image, 4) == 0x30);
    CHECK(word_at(r.image, 8) == 0x28);
    CHECK(word_at(r.image, 12) == 0x40);
}

TEST_CASE("alignment is kept") {
    ObjectBuilder b = start_with({"wide"});
    b.symbol("wide", b.data(".data", {1}, ObjectBuilder::alloc | ObjectBuilder::write, 64));
    ObjectFolder folder;
    CHECK(word_at(link({{folder.put("a.o", b.bytes())}}).image, 0) == 64);
}

TEST_CASE("what nobody reaches is dropped, with what only it needs") {
    ObjectBuilder b = start_with({"used"});
    const auto unused = b.text(".text.unused", {0});
    b.relocation(unused, 0, 3, b.undefined("nowhere"));
    b.symbol("unused", unused);
    b.symbol("used", b.text(".text.used", {nop}));
    ObjectFolder folder;
    const auto r = link({{folder.put("a.o", b.bytes())}});
    CHECK(r.image.size() == 8);
    CHECK(r.map.find("unused") == std::string::npos);
}

TEST_CASE("a global definition beats a weak one, the first weak one beats later ones") {
    constexpr unsigned weak = 2;
    ObjectBuilder one = start_with({"x", "y"});
    const auto data = one.data(".data", {1, 2});
    one.symbol("x", data, 0, 4, weak);
    one.symbol("y", data, 4, 4, weak);
    ObjectBuilder two;
    const auto other = two.data(".data.two", {3, 4});
    two.symbol("x", other, 0, 4);
    two.symbol("y", other, 4, 4, weak);
    ObjectFolder folder;
    const auto r = link({{folder.put("1.o", one.bytes()), folder.put("2.o", two.bytes())}});
    CHECK(word_at(r.image, word_at(r.image, 0)) == 3);
    CHECK(word_at(r.image, word_at(r.image, 4)) == 2);
}

TEST_CASE("an undefined weak symbol is 0") {
    ObjectBuilder b;
    const auto start = b.text(".text.start", {0xffffffff});
    b.relocation(start, 0, 4, b.undefined("absent", 2), 5);
    ObjectFolder folder;
    CHECK(word_at(link({{folder.put("a.o", b.bytes())}}).image, 0) == 5);
}

TEST_CASE("local symbols of one name in two objects stay apart") {
    constexpr unsigned local = 0;
    const auto make = [&](const char* section, const char* global, uint32_t value) {
        ObjectBuilder b;
        const auto data = b.data(std::string(".data.") + section, {value, 0});
        b.relocation(data, 4, 4, b.symbol("same", data, 0, 4, local));
        b.symbol(global, data, 4);
        return b.bytes();
    };
    ObjectFolder folder;
    const auto r = link({{folder.put("s.o", start_with({"p", "q"}).bytes()),
                          folder.put("1.o", make("1", "p", 11)), folder.put("2.o", make("2", "q", 22))}});
    CHECK(word_at(r.image, word_at(r.image, word_at(r.image, 0))) == 11);
    CHECK(word_at(r.image, word_at(r.image, word_at(r.image, 4))) == 22);
}
