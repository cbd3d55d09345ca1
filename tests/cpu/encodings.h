// SPDX-License-Identifier: BSD-3-Clause
// Every instruction form with its word (docs: the encodings table of the instruction set) and the fields it
// must decode to, worked out by hand from the format table.
#pragma once
#include "emulator/cpu/decode.h"

#include <vector>

namespace myri::test {

using emulator::Op;

struct Encoding {
    const char* text; // in the assembler's syntax
    uint32_t word;
    Op op;     // the first handler
    Op action; // the operation itself
    unsigned rd, rs1, rs2;
    uint32_t constant;
    unsigned condition = 0;
};

constexpr unsigned none = emulator::register_discard;

inline const std::vector<Encoding>& encodings() {
    static const std::vector<Encoding> table = [] {
        // A form without a prefix, and the two prefixes.
        auto plain = [](const char* text, uint32_t word, Op op, unsigned rd, unsigned rs1, unsigned rs2,
                        uint32_t constant, unsigned condition = 0) {
            return Encoding{text, word, op, op, rd, rs1, rs2, constant, condition};
        };
        auto predicated = [](const char* text, uint32_t word, Op action, unsigned rd, unsigned rs1,
                             unsigned rs2, unsigned condition) {
            return Encoding{text, word, Op::predicated, action, rd, rs1, rs2, 0, condition};
        };
        return std::vector<Encoding>{
            plain("add %r6,0x1234,%r7", 0x03981234, Op::alu_add_c, 7, 6, 0, 0x1234),
            plain("add %r6,0x12340000,%r7", 0x03991234, Op::alu_add_c, 7, 6, 0, 0x12340000),
            plain("add.f %r6,1,%r7", 0x039a0001, Op::alu_add_cf, 7, 6, 0, 1),
            plain("addc %r6,1,%r7", 0x13980001, Op::alu_addc_c, 7, 6, 0, 1),
            plain("sub %r6,8,%r7", 0x23980008, Op::alu_sub_c, 7, 6, 0, 8),
            plain("sub.f %r6,8,%r0", 0x201a0008, Op::alu_sub_cf, none, 6, 0, 8),
            plain("subb.f %r6,%r7,%r8", 0xc41a3b00, Op::alu_subb_rf, 8, 6, 7, 0),
            plain("and %r6,0xffff00ff,%r7", 0x439800ff, Op::alu_and__c, 7, 6, 0, 0xffff00ff),
            plain("and %r6,0x00ffffff,%r7", 0x439900ff, Op::alu_and__c, 7, 6, 0, 0x00ffffff),
            plain("or %r6,0xabcd,%r7", 0x5398abcd, Op::alu_or__c, 7, 6, 0, 0xabcd),
            plain("xor %r6,0xabcd0000,%r7", 0x6399abcd, Op::alu_xor__c, 7, 6, 0, 0xabcd0000),
            plain("sh %r6,4,%r7", 0x73980004, Op::alu_shift_left_c, 7, 6, 0, 4),
            plain("sh %r6,-4,%r7", 0x7398fffc, Op::alu_shift_right_c, 7, 6, 0, 4),
            plain("sha %r6,-4,%r7", 0x7399fffc, Op::alu_shift_right_arithmetic_c, 7, 6, 0, 4),
            plain("sh.f %r6,1,%r7", 0x739a0001, Op::alu_shift_left_cf, 7, 6, 0, 1),
            plain("mov 0x1234,%r6", 0x03001234, Op::alu_add_c, 6, 0, 0, 0x1234),
            plain("mov 0x12345,%r6", 0xf3062345, Op::alu_or__c, 6, 0, 0, 0x12345),
            plain("mov 0xffff1234,%r6", 0x43041234, Op::alu_and__c, 6, 1, 0, 0xffff1234),
            plain("mov 0x1234ffff,%r6", 0x43051234, Op::alu_and__c, 6, 1, 0, 0x1234ffff),
            plain("mov %r6,%r7", 0xc3980000, Op::alu_add_r, 7, 6, 0, 0),
            plain("add %r6,%r7,%r8", 0xc4183800, Op::alu_add_r, 8, 6, 7, 0),
            plain("sub %r6,%r7,%r8", 0xc4183a00, Op::alu_sub_r, 8, 6, 7, 0),
            plain("and %r6,%r7,%r8", 0xc4183c00, Op::alu_and__r, 8, 6, 7, 0),
            plain("xor %r6,%r7,%r8", 0xc4183e00, Op::alu_xor__r, 8, 6, 7, 0),
            plain("or.f %r6,%r7,%r8", 0xc41a3d00, Op::alu_or__rf, 8, 6, 7, 0),
            plain("sh %r6,%r7,%r8", 0xc4183f80, Op::alu_sh_r, 8, 6, 7, 0),
            plain("sha %r6,%r7,%r8", 0xc4183fc0, Op::alu_sha_r, 8, 6, 7, 0),
            predicated("add.eq %r6,%r7,%r8", 0xc4193803, Op::alu_add_r, 8, 6, 7, 7),
            predicated("sub.gt %r6,%r7,%r8", 0xc4183a07, Op::alu_sub_r, 8, 6, 7, 14),
            plain("sel.ne %r6,%r7,%r8", 0xc4183f03, Op::select, 8, 6, 7, 0, 6),
            plain("popc %r6,%r7", 0xd3980001, Op::alu_popc_c, 7, 6, 0, 0),
            plain("leadz %r6,%r7", 0xd3980002, Op::alu_leadz_c, 7, 6, 0, 0),
            plain("trailz %r6,%r7", 0xd3980003, Op::alu_trailz_c, 7, 6, 0, 0),
            plain("bt 0x1234", 0xe0001234, Op::branch_t, 0, 0, 0, 0x1234, 0),
            plain("bf 0x1234", 0xe0001235, Op::branch_f, 0, 0, 0, 0x1234, 1),
            plain("bugt 0x1234", 0xe2001234, Op::branch_hi, 0, 0, 0, 0x1234, 2),
            plain("bule 0x1234", 0xe2001235, Op::branch_ls, 0, 0, 0, 0x1234, 3),
            plain("bult 0x1234", 0xe4001234, Op::branch_cc, 0, 0, 0, 0x1234, 4),
            plain("buge 0x1234", 0xe4001235, Op::branch_cs, 0, 0, 0, 0x1234, 5),
            plain("bne 0x1234", 0xe6001234, Op::branch_ne, 0, 0, 0, 0x1234, 6),
            plain("beq 0x1234", 0xe6001235, Op::branch_eq, 0, 0, 0, 0x1234, 7),
            plain("bvc 0x1234", 0xe8001234, Op::branch_vc, 0, 0, 0, 0x1234, 8),
            plain("bvs 0x1234", 0xe8001235, Op::branch_vs, 0, 0, 0, 0x1234, 9),
            plain("bpl 0x1234", 0xea001234, Op::branch_pl, 0, 0, 0, 0x1234, 10),
            plain("bmi 0x1234", 0xea001235, Op::branch_mi, 0, 0, 0, 0x1234, 11),
            plain("bge 0x1234", 0xec001234, Op::branch_ge, 0, 0, 0, 0x1234, 12),
            plain("blt 0x1234", 0xec001235, Op::branch_lt, 0, 0, 0, 0x1234, 13),
            plain("bgt 0x1234", 0xee001234, Op::branch_gt, 0, 0, 0, 0x1234, 14),
            plain("ble 0x1234", 0xee001235, Op::branch_le, 0, 0, 0, 0x1234, 15),
            plain("seq %r7", 0xe61c0003, Op::set_condition, 7, 0, 0, 0, 7),
            plain("sult %r7", 0xe41c0002, Op::set_condition, 7, 0, 0, 0, 4),
            plain("sgt %r7", 0xee1c0002, Op::set_condition, 7, 0, 0, 0, 14),
            plain("ld 0[%r6],%r7", 0x83980000, Op::load_word_offset, 7, 6, 0, 0),
            plain("ld 8[%r6],%r7", 0x839a0008, Op::load_word_offset, 7, 6, 0, 8),
            plain("ld [%r6++],%r7", 0x83990004, Op::load_word_post, 7, 6, 0, 4),
            plain("ld [++%r6],%r7", 0x839b0004, Op::load_word_pre, 7, 6, 0, 4),
            plain("ld [%r6--],%r7", 0x8399fffc, Op::load_word_post, 7, 6, 0, 0xfffffffc),
            plain("ld [--%r6],%r7", 0x839bfffc, Op::load_word_pre, 7, 6, 0, 0xfffffffc),
            plain("ld 12[%r6*],%r7", 0x8399000c, Op::load_word_post, 7, 6, 0, 12),
            plain("ld 12[*%r6],%r7", 0x839b000c, Op::load_word_pre, 7, 6, 0, 12),
            plain("st %r7,8[%r6]", 0x939a0008, Op::store_word_offset, 7, 6, 0, 8),
            plain("st %r7,[--%sp]", 0x9393fffc, Op::store_word_pre, 7, 4, 0, 0xfffffffc),
            plain("ld -4[%fp],%pc", 0x8116fffc, Op::load_pc_offset, 2, 5, 0, 0xfffffffc),
            plain("ld [%r6 add %r7],%r8", 0xa41a3802, Op::load_word_indexed, 8, 6, 7, 0),
            plain("ld [%r6 sub %r7],%r8", 0xa41a3a02, Op::load_word_general, 8, 6, 7, 0),
            plain("uld.h [%r6 add %r7],%r8", 0xa41a3801, Op::load_half_zero_indexed, 8, 6, 7, 0),
            plain("ld.h [%r6 add %r7],%r8", 0xa41a3800, Op::load_half_indexed, 8, 6, 7, 0),
            plain("uld.b [%r6 add %r7],%r8", 0xa41a3805, Op::load_byte_zero_indexed, 8, 6, 7, 0),
            plain("ld.b [%r6 add %r7],%r8", 0xa41a3804, Op::load_byte_indexed, 8, 6, 7, 0),
            plain("ld [%r6 sh %r7],%r8", 0xa41a3f82, Op::load_word_general, 8, 6, 7, 0),
            plain("ld [%r6* add %r7],%r8", 0xa4193802, Op::load_word_general, 8, 6, 7, 0),
            plain("ld [*%r6 add %r7],%r8", 0xa41b3802, Op::load_word_general, 8, 6, 7, 0),
            plain("st %r8,[%r6 add %r7]", 0xb41a3802, Op::store_word_indexed, 8, 6, 7, 0),
            plain("st.h %r8,[%r6 add %r7]", 0xb41a3800, Op::store_half_indexed, 8, 6, 7, 0),
            plain("st.b %r8,[%r6 add %r7]", 0xb41a3804, Op::store_byte_indexed, 8, 6, 7, 0),
            plain("uld.h 6[%r6],%r7", 0xf39b1806, Op::load_half_zero_offset, 7, 6, 0, 6),
            plain("ld.h -2[%r6],%r7", 0xf39b0bfe, Op::load_half_offset, 7, 6, 0, 0xfffffffe),
            plain("uld.b 1[%r6],%r7", 0xf39b5801, Op::load_byte_zero_offset, 7, 6, 0, 1),
            plain("ld.b -512[%r6],%r7", 0xf39b4a00, Op::load_byte_offset, 7, 6, 0, 0xfffffe00),
            plain("uld.b [%r6++],%r7", 0xf39b5401, Op::load_byte_zero_post, 7, 6, 0, 1),
            plain("uld.h [%r6++],%r7", 0xf39b1402, Op::load_half_zero_post, 7, 6, 0, 2),
            plain("st.h %r7,2[%r6]", 0xf39b2802, Op::store_half_offset, 7, 6, 0, 2),
            plain("st.b %r7,[--%r6]", 0xf39b6fff, Op::store_byte_pre, 7, 6, 0, 0xffffffff),
            plain("ld [0x12344],%r7", 0xf3842344, Op::load_word_offset, 7, 0, 0, 0x12344),
            plain("st %r7,[0x12344]", 0xf3852344, Op::store_word_offset, 7, 0, 0, 0x12344),
            plain("ld [0xfffffc10],%r7", 0x8382fc10, Op::load_word_offset, 7, 0, 0, 0xfffffc10),
            plain("st %r7,[0xfffffc10]", 0x9382fc10, Op::store_word_offset, 7, 0, 0, 0xfffffc10),
            plain("bt %r7", 0xc1003d00, Op::alu_to_pc, 2, 0, 7, 0),
            predicated("beq %r7", 0xc11d0503, Op::alu_to_pc, 2, 7, 0, 7),
            plain("bt.r 0x10", 0xe1000012, Op::branch_register, 0, 0, 0, 0x10, 0),
            plain("beq.r -0x10", 0xe700fff3, Op::branch_register, 0, 0, 0, 0xfffffff0, 7),
        };
    }();
    return table;
}

} // namespace myri::test
