// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/cpu/disassemble.h"

#include <fmt/format.h>

namespace myri::emulator {
namespace {

constexpr const char* condition_names[16] = {"t",  "f",  "ugt", "ule", "ult", "uge", "ne", "eq",
                                             "vc", "vs", "pl",  "mi",  "ge",  "lt",  "gt", "le"};
// In the order of Alu. Shifts by a constant are written with a signed amount.
constexpr const char* alu_names[] = {"add", "addc", "sub", "subb", "and",  "or",    "xor",   "sh",
                                     "sh",  "sha",  "sh",  "sha",  "popc", "leadz", "trailz"};
constexpr const char* access_names[] = {"ld", "ld", "ld.h", "uld.h", "ld.b", "uld.b", "st", "st.h", "st.b"};
constexpr int access_sizes[] = {4, 4, 2, 2, 1, 1, 4, 2, 1};

std::string reg(unsigned n) {
    switch (n) {
    case register_discard:
        return "%r0";
    case 2:
        return "%pc";
    case 4:
        return "%sp";
    case 5:
        return "%fp";
    case 8:
        return "%rv";
    case 10:
        return "%rr1";
    case 11:
        return "%rr2";
    case 15:
        return "%rca";
    default:
        return fmt::format("%r{}", n);
    }
}

std::string hex(uint32_t value) {
    int32_t number = static_cast<int32_t>(value);
    return number < 0 ? fmt::format("-{:#x}", 0u - value) : fmt::format("{:#x}", value);
}

std::string alu(const Instruction& in, Alu operation, bool register_operand, bool flags) {
    std::string text = alu_names[static_cast<unsigned>(operation)];
    if (flags)
        text += ".f";
    if (in.condition != 0)
        text += fmt::format(".{}", condition_names[in.condition]);
    text += " " + reg(in.rs1);
    bool right = operation == Alu::shift_right || operation == Alu::shift_right_arithmetic;
    if (operation < Alu::popc)
        text += ", " + (register_operand                                ? reg(in.rs2)
                        : right && in.constant != 0                     ? fmt::format("-{:#x}", in.constant)
                        : operation == Alu::sh || operation == Alu::sha ? hex(in.constant)
                                                                        : fmt::format("{:#x}", in.constant));
    return text + ", " + reg(in.rd);
}

std::string address(const Instruction& in, Address form, int size) {
    std::string base = reg(in.rs1);
    int32_t offset = static_cast<int32_t>(in.constant);
    bool step = offset == size || offset == -size;
    const char* sign = offset < 0 ? "--" : "++";
    switch (form) {
    case Address::offset:
        return fmt::format("{}[{}]", offset, base);
    case Address::pre:
        return step ? fmt::format("[{}{}]", sign, base) : fmt::format("{}[*{}]", offset, base);
    case Address::post:
        return step ? fmt::format("[{}{}]", base, sign) : fmt::format("{}[{}*]", offset, base);
    case Address::indexed:
        return fmt::format("[{} add {}]", base, reg(in.rs2));
    case Address::general:
        break;
    }
    const char* operation = alu_names[static_cast<unsigned>(in.alu)];
    switch (in.form) {
    case form_write_back:
        return fmt::format("[{}* {} {}]", base, operation, reg(in.rs2));
    case form_write_back | form_address_is_sum:
        return fmt::format("[*{} {} {}]", base, operation, reg(in.rs2));
    case form_address_is_sum:
        return fmt::format("[{} {} {}]", base, operation, reg(in.rs2));
    default:
        return fmt::format("0[{}]", base);
    }
}

std::string access(const Instruction& in, unsigned index) {
    unsigned kind = index / 5;
    Address form = static_cast<Address>(index % 5);
    std::string at = address(in, form, access_sizes[kind]);
    return static_cast<Access>(kind) >= Access::store_word
               ? fmt::format("{} {}, {}", access_names[kind], reg(in.rd), at)
               : fmt::format("{} {}, {}", access_names[kind], at, reg(in.rd));
}

} // namespace

std::string disassemble(const Instruction& in) {
    const char* condition = condition_names[in.condition];
    Op op = in.op == Op::with_pc || in.op == Op::predicated || in.op == Op::idle_head ? in.action : in.op;
    switch (op) {
    case Op::undecoded:
    case Op::outside:
    case Op::illegal:
        return "undefined";
    case Op::alu_to_pc:
        return alu(in, in.alu, in.form & form_register_operand, in.form & form_sets_flags);
    case Op::branch_register:
        return fmt::format("b{}.r {}[{}]", condition, static_cast<int32_t>(in.constant), reg(in.rs1));
    case Op::set_condition:
        return fmt::format("s{} {}", condition, reg(in.rd));
    case Op::select:
        return fmt::format("sel.{} {}, {}, {}", condition, reg(in.rs1), reg(in.rs2), reg(in.rd));
    case Op::jump_constant:
        return fmt::format("mov {:#x}, %pc", in.constant);
    default:
        break;
    }
    unsigned number = static_cast<unsigned>(op);
    if (op >= Op::load_word_offset)
        return access(in, number - static_cast<unsigned>(Op::load_word_offset));
    if (op >= Op::branch_t)
        return fmt::format("b{} {:#x}", condition, in.constant);
    number -= static_cast<unsigned>(Op::alu_add_c);
    return alu(in, static_cast<Alu>(number / 4), number & 2, number & 1);
}

} // namespace myri::emulator
