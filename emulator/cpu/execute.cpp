// SPDX-License-Identifier: BSD-3-Clause
// Cpu::run: threaded execution of predecoded instructions. Each handler ends by jumping to that of the next
// instruction; the only test in between is "cycle < stop". `stop` is the limit, or 0 while a jump is pending,
// so that delay slots cost nothing elsewhere: the test then fails after each instruction, and `between`
// counts the slots down.
#include "emulator/cpu/cpu.h"

#include <bit>
#include <cstring>

#define MYRI_UNLIKELY(x) __builtin_expect(!!(x), 0)

namespace myri::emulator {
namespace {

uint32_t big_endian(uint32_t v) {
    return __builtin_bswap32(v);
}
uint16_t big_endian(uint16_t v) {
    return __builtin_bswap16(v);
}
uint8_t big_endian(uint8_t v) {
    return v;
}

template <typename T> T read(const uint8_t* p) {
    T value;
    memcpy(&value, p, sizeof value);
    return big_endian(value);
}
template <typename T> void write(uint8_t* p, uint32_t value) {
    T narrow = big_endian(static_cast<T>(value));
    memcpy(p, &narrow, sizeof narrow);
}

// True if an aligned access of sizeof(T) bytes at `address` is within `size` bytes. Unaligned ones turn out
// huge.
template <typename T> bool inside(uint32_t address, uint32_t size) {
    constexpr int shift = std::countr_zero(sizeof(T));
    return std::rotr(address, shift) < size >> shift;
}

[[gnu::noinline]] uint32_t compute_rare(Alu operation, bool sets_flags, uint32_t a, uint32_t b,
                                        Flags& flags) {
    return compute(operation, sets_flags, a, b, flags);
}

} // namespace

Cpu::Stop Cpu::run(uint64_t limit_cycle) {
    static const void* const handlers[] = {&&undecoded,
                                           &&outside,
                                           &&illegal,
                                           &&watched,
                                           &&idle_head,
                                           &&with_pc,
                                           &&predicated,
                                           &&alu_to_pc,
                                           &&branch_register,
                                           &&set_condition,
                                           &&select,
                                           &&jump_constant,
#define MYRI_ROW(name) &&alu_##name##_c, &&alu_##name##_cf, &&alu_##name##_r, &&alu_##name##_rf,
                                           MYRI_LANAI_ALU(MYRI_ROW)
#undef MYRI_ROW
#define MYRI_ROW(name, number) &&branch_##name,
                                               MYRI_LANAI_CONDITIONS(MYRI_ROW)
#undef MYRI_ROW
#define MYRI_ROW(name) &&name##_offset, &&name##_pre, &&name##_post, &&name##_indexed, &&name##_general,
                                                   MYRI_LANAI_ACCESSES(MYRI_ROW)
#undef MYRI_ROW
    };
    static_assert(sizeof handlers / sizeof *handlers == static_cast<size_t>(Op::count));

    pass_cycles_ = 0;
    pass_.valid = false; // something may have changed since the last run
    if (!trap_reason_.empty())
        return Stop::trap;
    limit_ = limit_cycle;
    if (cycle_ >= limit_)
        return Stop::limit;

    // The machine's state, as far as possible in host registers while it runs.
    uint32_t* const r = registers_.data();
    Flags flags = flags_;
    Instruction* const text = text_.get();
    const Instruction* in = text + pc_ / 4;
    const Instruction* target = text + target_ / 4;
    unsigned slots = slots_;
    uint64_t cycle = cycle_;
    uint64_t stop = slots ? 0 : limit_;
    // Parameters.
    uint8_t* const sram = sram_.data();
    const uint32_t size = static_cast<uint32_t>(sram_.size());
    const uint32_t stall = timing_.load_use_stall;
    const uint32_t extra_word = timing_.data_access_extra;
    const uint32_t extra_subword = timing_.subword_extra;

    const uint32_t direct = watched_.empty() ? size : 0; // data below this is read and written here

    uint32_t value = 0, address = 0; // scratch
    Op op = Op::undecoded;
    Flags new_flags;                 // only for calls, so that `flags` need not lie in memory
    Stop reason = Stop::limit;

#define MYRI_PC()       static_cast<uint32_t>(in - text) * 4
#define MYRI_DISPATCH() goto* handlers[static_cast<unsigned>(in->op)]
#define MYRI_NEXT()                                                                                          \
    do {                                                                                                     \
        ++cycle;                                                                                             \
        ++in;                                                                                                \
        if (MYRI_UNLIKELY(cycle >= stop))                                                                    \
            goto between;                                                                                    \
        MYRI_DISPATCH();                                                                                     \
    } while (0)
#define MYRI_JUMP(count, to)                                                                                 \
    do {                                                                                                     \
        value = (to);                                                                                        \
        if (MYRI_UNLIKELY(!inside<uint32_t>(value, size) || slots != 0))                                     \
            goto bad_jump;                                                                                   \
        target = text + value / 4;                                                                           \
        slots = (count);                                                                                     \
        stop = 0;                                                                                            \
        ++cycle;                                                                                             \
        ++in;                                                                                                \
        if (MYRI_UNLIKELY(cycle >= limit_))                                                                  \
            goto leave;                                                                                      \
        MYRI_DISPATCH();                                                                                     \
    } while (0)
#define MYRI_EXTRA(count)                                                                                    \
    do {                                                                                                     \
        cycle += (count);                                                                                    \
        overhead_ += (count);                                                                                \
    } while (0)
// What special registers and other outsiders may see or change.
#define MYRI_OUTSIDE(call)                                                                                   \
    do {                                                                                                     \
        cycle_ = cycle;                                                                                      \
        pc_ = MYRI_PC();                                                                                     \
        if (!(call))                                                                                         \
            goto trapped;                                                                                    \
        if (slots == 0)                                                                                      \
            stop = limit_;                                                                                   \
    } while (0)

    MYRI_DISPATCH();

between:
    if (slots != 0 && --slots == 0) {
        in = target;
        stop = limit_;
    }
    if (cycle < limit_)
        MYRI_DISPATCH();
    goto leave;

undecoded:
    decode_at(static_cast<uint32_t>(in - text));
    MYRI_DISPATCH();

outside:
    trap("ran off the end of SRAM");
    goto trapped;

illegal:
    trap_illegal(MYRI_PC());
    goto trapped;

watched:
    MYRI_OUTSIDE(fetch_watched(MYRI_PC(), op));
    goto* handlers[static_cast<unsigned>(op)];

idle_head:
    cycle_ = cycle;
    if (slots == 0 && idle_pass_repeats(flags)) {
        reason = Stop::idle;
        goto leave;
    }
    goto* handlers[static_cast<unsigned>(idle_op_)];

with_pc:
    r[register_pc] = MYRI_PC();
    goto* handlers[static_cast<unsigned>(in->action)];

predicated:
    r[register_pc] = MYRI_PC();
    if (!holds(in->condition, flags))
        MYRI_NEXT();
    goto* handlers[static_cast<unsigned>(in->action)];

alu_to_pc:
    address = compute_rare(in->alu, in->form & form_sets_flags, r[in->rs1],
                           in->form & form_register_operand ? r[in->rs2] : in->constant, new_flags = flags);
    flags = new_flags;
    MYRI_JUMP(1, address);

branch_register:
    if (holds(in->condition, flags))
        MYRI_JUMP(1, r[in->rs1] + in->constant);
    MYRI_NEXT();

set_condition:
    r[in->rd] = holds(in->condition, flags);
    MYRI_NEXT();

select:
    r[in->rd] = holds(in->condition, flags) ? r[in->rs1] : r[in->rs2];
    if (in->rd == register_pc)
        MYRI_JUMP(1, r[register_pc]);
    MYRI_NEXT();

jump_constant:
    MYRI_JUMP(2, in->constant);

#define MYRI_ROW(name)                                                                                       \
    alu_##name##_c : r[in->rd] = compute<Alu::name, false>(r[in->rs1], in->constant, flags);                 \
    MYRI_NEXT();                                                                                             \
    alu_##name##_cf : r[in->rd] = compute<Alu::name, true>(r[in->rs1], in->constant, flags);                 \
    MYRI_NEXT();                                                                                             \
    alu_##name##_r : r[in->rd] = compute<Alu::name, false>(r[in->rs1], r[in->rs2], flags);                   \
    MYRI_NEXT();                                                                                             \
    alu_##name##_rf : r[in->rd] = compute<Alu::name, true>(r[in->rs1], r[in->rs2], flags);                   \
    MYRI_NEXT();
    MYRI_LANAI_ALU(MYRI_ROW)
#undef MYRI_ROW

#define MYRI_ROW(name, number)                                                                               \
    branch_##name : if (holds<number>(flags)) MYRI_JUMP(1, in->constant);                                    \
    MYRI_NEXT();
    MYRI_LANAI_CONDITIONS(MYRI_ROW)
#undef MYRI_ROW

// An access in pieces. T is the type in memory, S what its value is extended through.
#define MYRI_READ(T, S)                                                                                      \
    if (inside<T>(address, direct)) {                                                                        \
        value = static_cast<uint32_t>(static_cast<S>(read<T>(sram + address)));                              \
        MYRI_EXTRA(extra_word);                                                                              \
    } else {                                                                                                 \
        MYRI_OUTSIDE(slow_load(address, sizeof(T), value));                                                  \
        value = static_cast<uint32_t>(static_cast<S>(static_cast<T>(value)));                                \
        if (address < size)                                                                                  \
            MYRI_EXTRA(extra_word);                                                                          \
    }                                                                                                        \
    if (sizeof(T) < 4)                                                                                       \
        MYRI_EXTRA(extra_subword);

#define MYRI_WRITE(T)                                                                                        \
    value = r[in->rd];                                                                                       \
    quiet_ = false;                                                                                          \
    if (inside<T>(address, direct)) {                                                                        \
        write<T>(sram + address, value);                                                                     \
        if (MYRI_UNLIKELY(address - text_low_ < text_length_))                                               \
            forget(address / 4);                                                                             \
        MYRI_EXTRA(extra_word);                                                                              \
    } else {                                                                                                 \
        MYRI_OUTSIDE(slow_store(address, sizeof(T), value));                                                 \
        if (address < size)                                                                                  \
            MYRI_EXTRA(extra_word);                                                                          \
    }                                                                                                        \
    if (sizeof(T) < 4)                                                                                       \
        MYRI_EXTRA(extra_subword);

// The load-use stall is charged here, between the two instructions.
#define MYRI_FINISH_LOAD()                                                                                   \
    do {                                                                                                     \
        r[in->rd] = value;                                                                                   \
        const Instruction* next = MYRI_UNLIKELY(slots == 1) ? target : in + 1;                               \
        if (MYRI_UNLIKELY(next->op == Op::undecoded))                                                        \
            decode_at(static_cast<uint32_t>(next - text));                                                   \
        MYRI_EXTRA((0u - (next->reads >> (in->rd & 31) & 1)) & stall);                                       \
        MYRI_NEXT();                                                                                         \
    } while (0)

#define MYRI_ADDRESSES(name, ACCESS, FINISH)                                                                 \
    name##_offset : address = r[in->rs1] + in->constant;                                                     \
    ACCESS;                                                                                                  \
    FINISH;                                                                                                  \
    name##_indexed : address = r[in->rs1] + r[in->rs2];                                                      \
    ACCESS;                                                                                                  \
    FINISH;                                                                                                  \
    name##_pre : address = r[in->rs1] + in->constant;                                                        \
    ACCESS;                                                                                                  \
    r[in->rs1] += in->constant;                                                                              \
    FINISH;                                                                                                  \
    name##_post : address = r[in->rs1];                                                                      \
    ACCESS;                                                                                                  \
    r[in->rs1] += in->constant;                                                                              \
    FINISH;                                                                                                  \
    name##_general : address = r[in->rs1];                                                                   \
    if (in->form & form_address_is_sum)                                                                      \
        address = compute_rare(in->alu, false, address, r[in->rs2], new_flags = flags);                      \
    ACCESS;                                                                                                  \
    if (in->form & form_write_back)                                                                          \
        r[in->rs1] = compute_rare(in->alu, false, r[in->rs1], r[in->rs2], new_flags = flags);                \
    FINISH;

    MYRI_ADDRESSES(load_word, MYRI_READ(uint32_t, uint32_t), MYRI_FINISH_LOAD())
    MYRI_ADDRESSES(load_pc, MYRI_READ(uint32_t, uint32_t), MYRI_JUMP(2, value))
    MYRI_ADDRESSES(load_half, MYRI_READ(uint16_t, int16_t), MYRI_FINISH_LOAD())
    MYRI_ADDRESSES(load_half_zero, MYRI_READ(uint16_t, uint16_t), MYRI_FINISH_LOAD())
    MYRI_ADDRESSES(load_byte, MYRI_READ(uint8_t, int8_t), MYRI_FINISH_LOAD())
    MYRI_ADDRESSES(load_byte_zero, MYRI_READ(uint8_t, uint8_t), MYRI_FINISH_LOAD())
    MYRI_ADDRESSES(store_word, MYRI_WRITE(uint32_t), MYRI_NEXT())
    MYRI_ADDRESSES(store_half, MYRI_WRITE(uint16_t), MYRI_NEXT())
    MYRI_ADDRESSES(store_byte, MYRI_WRITE(uint8_t), MYRI_NEXT())

bad_jump:
    bad_jump(value, slots != 0, static_cast<uint32_t>(target - text) * 4);
trapped:
    reason = Stop::trap;
leave:
    flags_ = flags;
    cycle_ = cycle;
    pc_ = MYRI_PC();
    slots_ = slots;
    target_ = static_cast<uint32_t>(target - text) * 4;
    return reason;
}

} // namespace myri::emulator
