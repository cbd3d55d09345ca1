// SPDX-License-Identifier: BSD-3-Clause
// LANai instruction words in the form that the processor executes.
//
// Concepts: an Instruction is one predecoded word, 16 bytes. `op` selects the handler. Rare additions to an
// ordinary instruction (a condition, pc as an operand) are made by a first handler that then goes on to `action`.
// Fields are normalised so that handlers need not test for special registers: a result for r0 or r1 goes to the
// `discard` register, a write-back to r0 or r1 is left out, RI shifts are split by direction.
#pragma once
#include <cstdint>

namespace myri::emulator {

// clang-format off
// X(name): each has four handlers, for a constant or a register operand, without and with setting the flags.
// shift_left, shift_right, shift_right_arithmetic take 0..31; sh and sha a signed amount.
#define MYRI_LANAI_ALU(X) \
    X(add) X(addc) X(sub) X(subb) X(and_) X(or_) X(xor_) X(shift_left) X(shift_right) \
    X(shift_right_arithmetic) X(sh) X(sha) X(popc) X(leadz) X(trailz)

// X(name, number): conditions in the order of the DDDI field.
#define MYRI_LANAI_CONDITIONS(X) \
    X(t, 0) X(f, 1) X(hi, 2) X(ls, 3) X(cc, 4) X(cs, 5) X(ne, 6) X(eq, 7) \
    X(vc, 8) X(vs, 9) X(pl, 10) X(mi, 11) X(ge, 12) X(lt, 13) X(gt, 14) X(le, 15)

// X(name): each has five handlers, one for each way to form the address. load_pc is a word load that jumps.
#define MYRI_LANAI_ACCESSES(X) \
    X(load_word) X(load_pc) X(load_half) X(load_half_zero) X(load_byte) X(load_byte_zero) \
    X(store_word) X(store_half) X(store_byte)
// clang-format on

enum class Alu : uint8_t {
#define MYRI_ROW(name) name,
    MYRI_LANAI_ALU(MYRI_ROW)
#undef MYRI_ROW
};

enum class Access : uint8_t {
#define MYRI_ROW(name) name,
    MYRI_LANAI_ACCESSES(MYRI_ROW)
#undef MYRI_ROW
};

// How an access forms its address. general: by any ALU operation on two registers, as `alu` and `form` say.
enum class Address : uint8_t { offset, pre, post, indexed, general };

enum class Op : uint8_t {
    undecoded, // the value of untouched memory: decode the word, then execute it
    outside,   // stands behind the last word of SRAM
    illegal,
    watched,         // the word is watched: tell so, then execute the instruction
    idle_head,       // the watched address: compare with the last pass, then execute the instruction
    with_pc,         // an operand is pc: then do `action`
    predicated,      // do `action` if `condition` holds
    alu_to_pc,       // ALU operation `alu` whose result is jumped to; `form` as below
    branch_register, // BRR
    set_condition,   // SCC
    select,
    jump_constant, // SLI with pc as its destination
#define MYRI_ROW(name) alu_##name##_c, alu_##name##_cf, alu_##name##_r, alu_##name##_rf,
    MYRI_LANAI_ALU(MYRI_ROW)
#undef MYRI_ROW
#define MYRI_ROW(name, number) branch_##name,
        MYRI_LANAI_CONDITIONS(MYRI_ROW)
#undef MYRI_ROW
#define MYRI_ROW(name) name##_offset, name##_pre, name##_post, name##_indexed, name##_general,
            MYRI_LANAI_ACCESSES(MYRI_ROW)
#undef MYRI_ROW
                count
};

constexpr unsigned register_pc = 2;
constexpr unsigned register_discard = 32; // takes what is written to r0 and r1

// Bits of Instruction::form. For alu_to_pc:
constexpr uint8_t form_sets_flags = 1;
constexpr uint8_t form_register_operand = 2;
// For Address::general: the Q and P bits of the word.
constexpr uint8_t form_write_back = 1;
constexpr uint8_t form_address_is_sum = 2;

struct Instruction {
    Op op = Op::undecoded;
    Op action = Op::undecoded; // of with_pc and predicated; otherwise equal to op
    uint8_t rd = 0;            // destination; the data of a store; set_condition's destination too
    uint8_t rs1 = 0;
    uint8_t rs2 = 0;
    uint8_t condition = 0; // DDDI
    Alu alu = Alu::add;
    uint8_t form = 0;
    uint32_t constant = 0; // operand, offset, shift amount or address
    uint32_t reads = 0;    // bit n: uses register n (3 to 31), for the load-use stall
};
static_assert(sizeof(Instruction) == 16);

constexpr Op alu_op(Alu alu, bool register_operand, bool sets_flags) {
    return static_cast<Op>(static_cast<unsigned>(Op::alu_add_c) + 4 * static_cast<unsigned>(alu) +
                           2 * register_operand + sets_flags);
}
constexpr Op access_op(Access access, Address address) {
    return static_cast<Op>(static_cast<unsigned>(Op::load_word_offset) + 5 * static_cast<unsigned>(access) +
                           static_cast<unsigned>(address));
}

// Decodes one word. A word that is no instruction gives Op::illegal; why_illegal() tells what is wrong with
// it.
Instruction decode(uint32_t word);
const char* why_illegal(uint32_t word);

} // namespace myri::emulator
