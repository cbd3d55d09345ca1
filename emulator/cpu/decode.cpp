// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/cpu/decode.h"

namespace myri::emulator {
namespace {

constexpr uint32_t bits(uint32_t word, unsigned high, unsigned low) {
    return (word >> low) & ((1u << (high - low + 1)) - 1);
}
constexpr bool bit(uint32_t word, unsigned n) {
    return (word >> n) & 1;
}
constexpr uint8_t reg(uint32_t word, unsigned low) {
    return static_cast<uint8_t>(bits(word, low + 4, low));
}
constexpr uint32_t sign_extend(uint32_t value, unsigned width) {
    uint32_t sign = 1u << (width - 1);
    return (value ^ sign) - sign;
}

// The outcome of decoding: an instruction, or the reason why there is none.
struct Result {
    Instruction in;
    const char* problem = nullptr;
};

Result illegal(const char* problem) {
    return {Instruction{.op = Op::illegal}, problem};
}

constexpr uint8_t destination(unsigned rd) {
    return static_cast<uint8_t>(rd < 2 ? register_discard : rd);
}

// Sets `reads` and puts the with_pc or predicated handler in front where it is needed.
Result finish(Instruction in, uint32_t sources, bool conditional = false) {
    in.action = in.op;
    in.reads = sources & ~7u; // r0, r1 and pc are never waited for
    if (conditional)
        in.op = Op::predicated;
    else if (sources & (1u << register_pc))
        in.op = Op::with_pc;
    return {in, nullptr};
}

uint32_t source(unsigned r) {
    return 1u << r;
}

Instruction alu_instruction(Alu alu, unsigned rd, unsigned rs1, bool register_operand, bool sets_flags) {
    Instruction in;
    in.alu = alu;
    in.rs1 = static_cast<uint8_t>(rs1);
    in.rd = destination(rd);
    in.op = alu_op(alu, register_operand, sets_flags);
    if (rd == register_pc) {
        in.op = Op::alu_to_pc;
        in.form = static_cast<uint8_t>((sets_flags ? form_sets_flags : 0) |
                                       (register_operand ? form_register_operand : 0));
    }
    return in;
}

Result register_immediate(uint32_t word) {
    unsigned operation = bits(word, 30, 28), rd = reg(word, 23), rs1 = reg(word, 18);
    bool flags = bit(word, 17), high = bit(word, 16);
    uint32_t immediate = bits(word, 15, 0), constant = high ? immediate << 16 : immediate;
    Alu alu = static_cast<Alu>(operation); // 0 to 6 are in the order of the field
    if (alu == Alu::and_)
        constant |= high ? 0xffffu : 0xffff0000u;
    if (operation == 7) {
        // Amounts beyond 31 are undefined; they behave as a register amount does.
        int32_t amount = static_cast<int32_t>(sign_extend(immediate, 16));
        constant = static_cast<uint32_t>(amount);
        if (amount < -31 || amount > 31) {
            alu = high ? Alu::sha : Alu::sh;
        } else if (amount >= 0) {
            alu = Alu::shift_left;
        } else {
            alu = high ? Alu::shift_right_arithmetic : Alu::shift_right;
            constant = static_cast<uint32_t>(-amount);
        }
    }
    Instruction in = alu_instruction(alu, rd, rs1, false, flags);
    in.constant = constant;
    return finish(in, source(rs1));
}

constexpr unsigned j_select = 0x00, j_logical = 0x10, j_arithmetic = 0x18;

Result register_register(uint32_t word) {
    unsigned rd = reg(word, 23), rs1 = reg(word, 18), rs2 = reg(word, 11), operation = bits(word, 10, 8);
    unsigned j = bits(word, 7, 3), condition = bits(word, 2, 0) << 1 | bit(word, 16);
    bool flags = bit(word, 17);
    Instruction in;
    if (operation == 7 && j == j_select) {
        in.op = Op::select;
        in.rs1 = static_cast<uint8_t>(rs1);
        in.rs2 = static_cast<uint8_t>(rs2);
        in.rd = destination(rd);
        in.condition = static_cast<uint8_t>(condition);
        return finish(in, source(rs1) | source(rs2));
    }
    Alu alu = static_cast<Alu>(operation);
    if (operation == 7) {
        if (j != j_logical && j != j_arithmetic)
            return illegal("RR: reserved J field of a shift or select");
        alu = j == j_logical ? Alu::sh : Alu::sha;
    }
    in = alu_instruction(alu, rd, rs1, true, flags);
    in.rs2 = static_cast<uint8_t>(rs2);
    in.condition = static_cast<uint8_t>(condition);
    return finish(in, source(rs1) | source(rs2), condition != 0);
}

Result special(uint32_t word) {
    unsigned operation = bits(word, 2, 0), rs1 = reg(word, 18);
    if (operation < 1 || operation > 3 || bits(word, 16, 3) != 0)
        return illegal("opcode D: not popc, leadz or trailz");
    Alu alu = operation == 1 ? Alu::popc : operation == 2 ? Alu::leadz : Alu::trailz;
    return finish(alu_instruction(alu, reg(word, 23), rs1, false, bit(word, 17)), source(rs1));
}

// Sub-word loads by [byte][zero-extended].
constexpr Access sub_word_loads[2][2] = {{Access::load_half, Access::load_half_zero},
                                         {Access::load_byte, Access::load_byte_zero}};

// What RM, RRM, SLS and SPLS share. `in` has its address fields; `sources` are those of the address.
Result access(Instruction in, Access kind, Address address, unsigned rd, uint32_t sources) {
    bool store = kind >= Access::store_word;
    if (!store && rd == register_pc) {
        if (kind != Access::load_word)
            return illegal("sub-word load into pc");
        kind = Access::load_pc;
    }
    if (store)
        sources |= source(rd);
    in.rd = store ? static_cast<uint8_t>(rd) : destination(rd);
    in.op = access_op(kind, address);
    return finish(in, sources);
}

Result access_immediate(uint32_t word, Access kind, bool p, bool q, uint32_t offset) {
    unsigned rs1 = reg(word, 18);
    if (q && rs1 == register_pc)
        return illegal("write-back to pc");
    Instruction in;
    in.rs1 = static_cast<uint8_t>(rs1);
    in.constant = offset;
    Address address = q ? (p ? Address::pre : Address::post) : Address::offset;
    if (q && rs1 < 2) // nothing to write back
        address = Address::offset;
    if (!p && address == Address::offset)
        in.constant = 0;
    return access(in, kind, address, reg(word, 23), source(rs1));
}

Result access_register(uint32_t word) {
    bool store = bit(word, 28), p = bit(word, 17), q = bit(word, 16);
    bool byte = bit(word, 2), full = bit(word, 1), zero = bit(word, 0);
    unsigned rs1 = reg(word, 18), rs2 = reg(word, 11), operation = bits(word, 10, 8), j = bits(word, 7, 3);
    Instruction in;
    in.rs1 = static_cast<uint8_t>(rs1);
    in.rs2 = static_cast<uint8_t>(rs2);
    in.alu = static_cast<Alu>(operation);
    if (operation == 7) {
        if (j != j_logical && j != j_arithmetic)
            return illegal("RRM: reserved J field of a shifted address");
        in.alu = j == j_logical ? Alu::sh : Alu::sha;
        full = true;
        byte = false;
    }
    if (byte && full)
        return illegal("RRM: size is both byte and word");
    if (q && rs1 == register_pc)
        return illegal("write-back to pc");
    if (rs1 < 2)
        q = false;
    in.form = static_cast<uint8_t>((q ? form_write_back : 0) | (p ? form_address_is_sum : 0));
    Address address = in.alu == Alu::add && p && !q ? Address::indexed : Address::general;
    Access kind = store ? (full   ? Access::store_word
                           : byte ? Access::store_byte
                                  : Access::store_half)
                        : (full ? Access::load_word : sub_word_loads[byte][zero]);
    return access(in, kind, address, reg(word, 23), source(rs1) | source(rs2));
}

Result conditional(uint32_t word) {
    unsigned condition = bits(word, 27, 25) << 1 | bit(word, 0);
    Instruction in;
    in.condition = static_cast<uint8_t>(condition);
    if (!bit(word, 1)) {
        in.op = static_cast<Op>(static_cast<unsigned>(Op::branch_t) + condition);
        in.constant = word & 0x01fffffcu;
        return finish(in, 0);
    }
    if (bits(word, 17, 16) != 0 || bit(word, 23))
        return illegal("opcode E: reserved bits of BRR or SCC");
    unsigned r = reg(word, 18);
    if (bit(word, 24)) {
        in.op = Op::branch_register;
        in.rs1 = static_cast<uint8_t>(r);
        in.constant = sign_extend(word & 0xfffcu, 16);
        return finish(in, source(r));
    }
    if (bits(word, 15, 2) != 0)
        return illegal("SCC: reserved bits");
    if (r == register_pc)
        return illegal("SCC into pc");
    in.op = Op::set_condition;
    in.rd = destination(r);
    return finish(in, 0);
}

Result absolute_and_short(uint32_t word) {
    uint32_t value = bits(word, 22, 18) << 16 | bits(word, 15, 0);
    unsigned rd = reg(word, 23);
    if (!bit(word, 17)) { // SLS
        Instruction in;
        in.constant = value & ~3u;
        return access(in, bit(word, 16) ? Access::store_word : Access::load_word, Address::offset, rd, 0);
    }
    if (!bit(word, 16)) { // SLI
        Instruction in = alu_instruction(Alu::or_, rd, 0, false, false);
        in.constant = value;
        if (rd == register_pc)
            in.op = Op::jump_constant;
        return finish(in, 0);
    }
    if (bit(word, 15))
        return illegal("opcode F: SBR, PUNT or reserved");
    bool byte = bit(word, 14);
    Access kind = bit(word, 13) ? (byte ? Access::store_byte : Access::store_half)
                                : sub_word_loads[byte][bit(word, 12)];
    return access_immediate(word, kind, bit(word, 11), bit(word, 10), sign_extend(bits(word, 9, 0), 10));
}

Result decode_fully(uint32_t word) {
    switch (bits(word, 31, 28)) {
    case 0x8:
    case 0x9:
        return access_immediate(word, bit(word, 28) ? Access::store_word : Access::load_word, bit(word, 17),
                                bit(word, 16), sign_extend(bits(word, 15, 0), 16));
    case 0xa:
    case 0xb:
        return access_register(word);
    case 0xc:
        return register_register(word);
    case 0xd:
        return special(word);
    case 0xe:
        return conditional(word);
    case 0xf:
        return absolute_and_short(word);
    default:
        return register_immediate(word);
    }
}

} // namespace

Instruction decode(uint32_t word) {
    return decode_fully(word).in;
}

const char* why_illegal(uint32_t word) {
    const char* problem = decode_fully(word).problem;
    return problem ? problem : "";
}

} // namespace myri::emulator
