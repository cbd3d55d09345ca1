// SPDX-License-Identifier: BSD-3-Clause
// Expected words are worked out by hand from the encoding tables, not by the linker.
#include <doctest/doctest.h>

#include "firmware/linker/link.h"
#include "tests/toolchain/object_builder.h"

using myri::linker::LinkOptions;

namespace {

uint32_t word_at(const std::vector<uint8_t>& image, uint32_t address) {
    REQUIRE(address + 4 <= image.size());
    return uint32_t{image[address]} << 24 | uint32_t{image[address + 1]} << 16 |
           uint32_t{image[address + 2]} << 8 | image[address + 3];
}

// Links one word `word` at 0 with a relocation of `kind` to an absolute symbol.
uint32_t word_with(uint32_t word, uint32_t kind, uint32_t symbol, uint32_t addend = 0) {
    constexpr uint32_t absolute = 0xfff1;
    ObjectBuilder b;
    const auto text = b.text(".text.start", {word});
    b.relocation(text, 0, kind, b.symbol("target", absolute, symbol), addend);
    ObjectFolder folder;
    return word_at(myri::linker::link({{folder.put("a.o", b.bytes())}}).image, 0);
}

} // namespace

TEST_CASE("kind 0 changes nothing") {
    CHECK(word_with(0x03981234, 0, 0x7777) == 0x03981234);
}

TEST_CASE("kind 1 spreads 21 bits over the SLI and SLS constant") {
    // mov 0x12345,%r6 is f3062345; ld [0x12344],%r7 is f3842344.
    CHECK(word_with(0xf3020000, 1, 0x12345) == 0xf3062345);
    CHECK(word_with(0xf3800000, 1, 0x12000, 0x344) == 0xf3842344);
    CHECK(word_with(0xf3020000, 1, 0x1fffff) == 0xf37effff);
    CHECK(word_with(0xf3020000, 1, 0x20, uint32_t(-0x10)) == 0xf3020010);
    // Old bits of the field do not shine through.
    CHECK(word_with(0xf37effff, 1, 0) == 0xf3020000);
}

TEST_CASE("kind 2 is kind 1 with the low two bits cleared") {
    CHECK(word_with(0xf3800000, 2, 0x12347) == 0xf3842344);
}

TEST_CASE("kind 3 puts a branch target into bits 24 to 2 and keeps the condition") {
    CHECK(word_with(0xe0000000, 3, 0x1234) == 0xe0001234);
    CHECK(word_with(0xe6000001, 3, 0x1234) == 0xe6001235); // beq: the low bit belongs to the condition
    CHECK(word_with(0xee000001, 3, 0x1fffffc) == 0xeffffffd);
}

TEST_CASE("kind 4 replaces the whole word") {
    CHECK(word_with(0xdeadbeef, 4, 0x87654321) == 0x87654321);
    CHECK(word_with(0, 4, 0xffffffff, 2) == 1); // modulo 2^32
}

TEST_CASE("kinds 5 and 6 are the halves, without carry adjustment") {
    CHECK(word_with(0x03010000, 5, 0x12348765) == 0x03011234);
    CHECK(word_with(0x53180000, 6, 0x12348765) == 0x53188765);
    CHECK(word_with(0x53180000, 6, 0x1234ffff, 1) == 0x53180000);
    CHECK(word_with(0x03010000, 5, 0x1234ffff, 1) == 0x03011235);
}

TEST_CASE("the low half of a load is accepted while its sign bit is clear") {
    CHECK(word_with(0x839a0000, 6, 0x12347ffc) == 0x839a7ffc);
}

TEST_CASE("a call's return address becomes a constant wherever the code lands") {
    ObjectBuilder b;
    // The call sequence at 4; a data word that looks the same stays.
    b.text(".text.start", {0x00000001, 0x07880010, 0x9793fffc, 0xe0000000, 0x00000001, 0x00000001});
    const auto far = b.text(".text.far", {0x07880010});
    const auto table = b.data(".at.40", {0x07880010});
    b.relocation(table, 0, 0, b.symbol("far", far));
    b.data(".at.1fff0", {0});
    ObjectFolder folder;
    const auto image = myri::linker::link({{folder.put("a.o", b.bytes())}}).image;
    CHECK(word_at(image, 4) == 0xf7820014);    // mov 0x14,%rca
    CHECK(word_at(image, 0x18) == 0xf7820028); // mov 0x28,%rca
    CHECK(word_at(image, 0x40) == 0x07880010);
}

TEST_CASE("a return address beyond 64 KiB uses the high constant bits") {
    ObjectBuilder b;
    const auto start = b.text(".text.start", {0xe0000000});
    const auto code = b.text(".at.12340", {0x07880010});
    b.relocation(start, 0, 3, b.symbol("code", code));
    ObjectFolder folder;
    const auto image = myri::linker::link({{folder.put("a.o", b.bytes())}}).image;
    CHECK(word_at(image, 0) == 0xe0012340);
    CHECK(word_at(image, 0x12340) == 0xf7862350); // 0x12350: 1 in bits 22-18
}
