// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cpu/encodings.h"

#include <doctest/doctest.h>

using namespace myri::emulator;
using namespace myri::test;

TEST_CASE("each instruction form decodes to its operation and operands") {
    CHECK(encodings().size() >= 90);
    for (const Encoding& e : encodings()) {
        CAPTURE(e.text);
        Instruction in = decode(e.word);
        CHECK(in.op == e.op);
        CHECK(in.action == e.action);
        CHECK(unsigned{in.rd} == e.rd);
        CHECK(unsigned{in.rs1} == e.rs1);
        CHECK(unsigned{in.rs2} == e.rs2);
        CHECK(in.constant == e.constant);
        CHECK(unsigned{in.condition} == e.condition);
    }
}

TEST_CASE("nops, padding and the assembler's spare nops are legal; undefined encodings are not") {
    for (uint32_t word : {0x00000001u, 0x00000002u, 0x00000006u, 0x15000000u})
        CHECK(decode(word).op != Op::illegal);
    const uint32_t undefined[] = {
        0xc4183f08, // RR shift, J = 00001
        0xa41a3f02, // RRM shift, J = 00000
        0xa41a3806, // RRM, byte and word at once
        0xd3980000, // opcode D, OP 0
        0xd3980004, // opcode D, OP 4
        0xd3980009, // opcode D, reserved bit 3
        0xe1800012, // BRR, bit 23
        0xe1010012, // BRR, bit 16
        0xe61c0007, // SCC, reserved bit 2
        0xe6080003, // SCC into pc
        0xf003c000, // SBR
        0xf003ff47, // PUNT
        0x838b0004, // ld [++%pc]
        0xf11b5801, // uld.b into pc
    };
    for (uint32_t word : undefined) {
        CAPTURE(word);
        CHECK(decode(word).op == Op::illegal);
        CHECK(why_illegal(word)[0] != '\0');
    }
}
