// SPDX-License-Identifier: BSD-3-Clause
// Random straight-line programs, executed by the processor and by the separate reference.
#include "tests/cpu/alu_reference.h"
#include "tests/cpu/machine.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

using namespace myri;
using namespace myri::test;
using reference::Alu;

namespace {

// The reference's state and, in step with it, the program's words.
class Program {
public:
    explicit Program(unsigned seed) : random_(seed) {
        for (unsigned n = 3; n < 32; n++)
            initial[n] = registers[n] = operand();
        registers[1] = initial[1] = 0xffffffff;
        for (int i = 0; i < 60; i++)
            add_instruction();
        for (unsigned condition = 2; condition < 16; condition += 2) { // makes the final flags visible
            unsigned rd = 3 + condition;
            words.push_back(set_condition(condition, rd));
            registers[rd] = reference::holds(condition, flags_);
        }
    }

    std::array<uint32_t, 32> initial{}, registers{};
    std::vector<uint32_t> words;

private:
    std::mt19937 random_;
    reference::Flags flags_;

    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool coin() { return below(2) != 0; }
    uint32_t operand() { // edges often
        static constexpr uint32_t edges[] = {0,          1,          2,          0x7fffffff, 0x80000000,
                                             0x80000001, 0xfffffffe, 0xffffffff, 0xffff,     0x10000};
        return below(3) == 0 ? static_cast<uint32_t>(random_()) : edges[below(10)];
    }
    unsigned source() {
        unsigned n = below(31);
        return n < 2 ? n : n + 1; // not pc
    }
    unsigned destination() { return source(); }

    void apply(Alu operation, unsigned rd, uint32_t a, uint32_t b, bool f) {
        auto outcome = reference::compute(operation, a, b, flags_);
        if (rd > 1)
            registers[rd] = outcome.value;
        if (f)
            flags_ = outcome.flags;
    }

    // A register that holds a shift amount from -31 to 31, made on the spot.
    unsigned amount_register() {
        int amount = static_cast<int>(below(63)) - 31;
        unsigned rd = 3 + below(29);
        if (amount < 0)
            words.push_back(ri(op_sub, rd, r0, static_cast<uint32_t>(-amount)));
        else
            words.push_back(ri(op_add, rd, r0, static_cast<uint32_t>(amount)));
        registers[rd] = static_cast<uint32_t>(amount);
        return rd;
    }

    void add_instruction() {
        static constexpr Alu basic[] = {Alu::add,  Alu::addc, Alu::sub, Alu::subb,
                                        Alu::and_, Alu::or_,  Alu::xor_};
        unsigned rd = destination(), rs1 = source(), rs2 = source(), condition = coin() ? 0 : below(16);
        bool f = coin(), h = coin();
        unsigned operation = below(7);
        uint32_t immediate = coin() ? below(65536) : (operand() & 0xffff);
        switch (below(7)) {
        case 0:
        case 1: {
            uint32_t constant = h ? immediate << 16 : immediate;
            if (operation == op_and)
                constant |= h ? 0xffff : 0xffff0000;
            words.push_back(ri(operation, rd, rs1, immediate, f, h));
            apply(basic[operation], rd, registers[rs1], constant, f);
            break;
        }
        case 2: {
            int amount = static_cast<int>(below(63)) - 31;
            words.push_back(ri(op_shift, rd, rs1, static_cast<uint32_t>(amount), f, h));
            apply(h ? Alu::sha : Alu::sh, rd, registers[rs1], static_cast<uint32_t>(amount), f);
            break;
        }
        case 3:
            words.push_back(rr(operation, rd, rs1, rs2, f, condition, below(32)));
            if (reference::holds(condition, flags_))
                apply(basic[operation], rd, registers[rs1], registers[rs2], f);
            break;
        case 4:
            rs2 = amount_register();
            words.push_back(shift_rr(rd, rs1, rs2, h, f, condition));
            if (reference::holds(condition, flags_))
                apply(h ? Alu::sha : Alu::sh, rd, registers[rs1], registers[rs2], f);
            break;
        case 5: {
            static constexpr Alu counts[] = {Alu::popc, Alu::leadz, Alu::trailz};
            unsigned which = below(3);
            words.push_back(count_bits(1 + which, rd, rs1, f));
            apply(counts[which], rd, registers[rs1], 0, f);
            break;
        }
        case 6:
            if (coin()) {
                words.push_back(select(condition, rd, rs1, rs2));
                apply(Alu::or_, rd, reference::holds(condition, flags_) ? registers[rs1] : registers[rs2], 0,
                      false);
            } else {
                words.push_back(set_condition(condition, rd));
                apply(Alu::or_, rd, reference::holds(condition, flags_), 0, false);
            }
        }
    }
};

// The first register that differs, or 32.
unsigned first_difference(const Program& program, const std::vector<uint32_t>& words) {
    Machine m;
    m.write(0, words);
    for (unsigned n = 3; n < 32; n++)
        m.cpu.set_reg(n, program.initial[n]);
    if (m.cpu.run(words.size()) != Stop::limit || m.cpu.instructions() != words.size())
        return 0;
    for (unsigned n = 3; n < 32; n++)
        if (m.reg(n) != program.registers[n])
            return n;
    return 32;
}

} // namespace

TEST_CASE("random ALU programs end with the registers and flags of the reference") {
    for (unsigned seed = 1; seed <= 5000; seed++) {
        Program program(seed);
        unsigned difference = first_difference(program, program.words);
        if (difference != 32) {
            CAPTURE(seed);
            CAPTURE(difference);
            FAIL("register differs");
        }
    }
    CHECK(true);
}

TEST_CASE("the comparison with the reference notices one changed instruction") {
    unsigned noticed = 0;
    for (unsigned seed = 1; seed <= 100; seed++) {
        Program program(seed);
        auto words = program.words;
        words[words.size() - 1] ^= 1; // the last SCC's condition inverted
        noticed += first_difference(program, words) != 32;
    }
    CHECK(noticed == 100);
}
