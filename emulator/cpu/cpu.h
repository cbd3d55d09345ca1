// SPDX-License-Identifier: BSD-3-Clause
// The LANai processor: executes firmware machine code out of the card's SRAM and counts its cycles.
//
// Concepts
//   Address space   0 .. size-1 is SRAM (big-endian); 0xFFFFFC00.. are the special registers, reached through
//                   SpecialRegisters. Anything else, an unaligned access and an undefined instruction are
//                   traps.
//   Cycle model     one cycle per instruction plus the terms of CpuTiming; jumps cost nothing beyond their
//   delay
//                   slots. An instruction's cycle is the one in which it starts.
//   Text            words are decoded when first executed and kept. Stores by the processor drop what they
//   overwrite;
//                   whoever else writes text calls text_changed().
//   Watched words   each access of the processor to them is told. While there are any, all of its accesses to data go
//                   the way of the special registers', so that they cost nothing while there are none.
//   Idle skip       the firmware's loop, once a whole pass changed nothing and read no clock, would run for
//   ever: run()
//                   returns Stop::idle and the owner lets skip_idle() pass the time until something happens.
//
// One thread at a time; no locks. Data in SRAM may be changed by others between and during calls of run().
#pragma once
#include "emulator/cpu/alu.h"
#include "emulator/cpu/decode.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace myri::emulator {

// Named terms of the cycle model, in processor cycles. No cycle table of the chip is public. The load latency
// and the sub-word unit's second cycle are those of LLVM's Lanai schedule; the shared SRAM port is what
// Myricom's compiler assumes for "single-clocked" parts.
struct CpuTiming {
    unsigned load_use_stall = 1;    // the next instruction uses a loaded register
    unsigned subword_extra = 1;     // each byte or half-word access
    unsigned data_access_extra = 0; // each access to SRAM, if data and instructions share its port
};

// What the processor reaches at 0xFFFFFC00..0xFFFFFFFF. `offset` is 0..0x3ff and a multiple of `bytes` (1, 2
// or 4); `cycle` is the start of the accessing instruction. Must not throw; may call the Cpu's lower_limit(),
// text_changed(), watch_idle() and its read-only functions.
class SpecialRegisters {
public:
    virtual ~SpecialRegisters() = default;
    virtual uint32_t load(uint32_t offset, unsigned bytes, uint64_t cycle) = 0; // the value in the low bits
    virtual void store(uint32_t offset, unsigned bytes, uint32_t value, uint64_t cycle) = 0;
    // An access to a watched word of SRAM (Cpu::watch_word): after a load or a fetch has got its value, after a store.
    virtual void watched(uint32_t address, unsigned bytes, bool is_store, uint64_t cycle) {
        (void)address, (void)bytes, (void)is_store, (void)cycle;
    }
};

class Cpu {
public:
    enum class Stop {
        limit, // the cycle limit is reached
        idle,  // at the watched address, and nothing can change until somebody outside changes something
        trap   // trap_reason() tells why; every further run() returns the same until reset()
    };

    // `sram` stays the caller's and must outlive the Cpu. Its size must be a multiple of 4, at most 32 MiB;
    // otherwise std::invalid_argument.
    Cpu(std::span<uint8_t> sram, SpecialRegisters&, CpuTiming = {});

    // Starts afresh at `pc`: registers and flags 0, no pending jump, no trap, all decoded text forgotten. The
    // cycle and instruction counts go on. A bad `pc` traps at the first run().
    void reset(uint32_t pc = 0);

    // Executes every instruction that starts below `limit_cycle`.
    Stop run(uint64_t limit_cycle);

    // From inside SpecialRegisters::load/store: makes the current run() stop at an earlier cycle.
    void lower_limit(uint64_t cycle);

    uint64_t cycle() const { return cycle_; }
    void set_cycle(uint64_t cycle);

    // Instructions executed, those of skipped idle passes included; a failed predicate counts.
    uint64_t instructions() const { return cycle_ - overhead_; }
    uint64_t skipped_instructions() const { return skipped_; }

    // How often the watched address was reached, skipped passes included.
    uint64_t idle_passes() const { return idle_passes_; }

    // The address of the head of the firmware's idle loop; 0 means none.
    void watch_idle(uint32_t pc);

    // After Stop::idle: advances by whole passes, as far as possible without passing `to_cycle`. Otherwise
    // nothing.
    void skip_idle(uint64_t to_cycle);

    // Somebody else wrote SRAM that may hold executed instructions.
    void text_changed(uint32_t offset, uint32_t length);

    // `address`: of a word in SRAM. Not from inside SpecialRegisters.
    void watch_word(uint32_t address);
    // Ends that for all words that lie wholly in these bytes.
    void unwatch(uint32_t address, uint32_t bytes);
    // True if one of these bytes belongs to a watched word.
    bool watches(uint32_t address, uint64_t bytes) const;
    bool watching() const { return !watched_.empty(); }

    const std::string& trap_reason() const { return trap_reason_; } // empty if there is no trap
    uint32_t pc() const { return pc_; }               // of the next instruction, or of the one that trapped
    bool jump_pending() const { return slots_ != 0; } // the next instruction is in a delay slot
    uint32_t reg(unsigned n) const;                   // 0..31; std::out_of_range otherwise
    void set_reg(unsigned n, uint32_t value);         // 3..31; r0, r1 and pc cannot be set: std::out_of_range

private:
    struct Freed {
        void operator()(Instruction* p) const { std::free(p); }
    };
    using Registers = std::array<uint32_t, 33>;

    uint32_t word_at(uint32_t address) const;
    void decode_at(uint32_t word_index);
    void forget(uint32_t word_index);
    // Return false if they trapped.
    bool slow_load(uint32_t address, unsigned bytes, uint32_t& value);
    bool slow_store(uint32_t address, unsigned bytes, uint32_t value);
    bool fetch_watched(uint32_t address, Op& op);
    void tell_watched(uint32_t address, unsigned bytes, bool is_store);
    bool special_load(uint32_t address, unsigned bytes, uint32_t& value);
    bool special_store(uint32_t address, unsigned bytes, uint32_t value);
    void bad_jump(uint32_t target, bool in_slot, uint32_t pending);
    void trap_illegal(uint32_t pc);
    bool trap(std::string reason);
    bool bad_address(const char* what, uint32_t address, unsigned bytes);
    bool idle_pass_repeats(Flags);

    std::span<uint8_t> sram_;
    SpecialRegisters& special_;
    CpuTiming timing_;
    // One entry a word and one behind the last. Zero memory (= undecoded), so pages without text cost
    // nothing.
    std::unique_ptr<Instruction[], Freed> text_;
    uint32_t text_low_ = 0, text_length_ = 0; // bytes; all decoded words lie within

    Registers registers_{};
    Flags flags_;
    uint32_t pc_ = 0;
    unsigned slots_ = 0; // delay slots still to execute before the jump to target_; 0: no jump pending
    uint32_t target_ = 0;
    uint64_t cycle_ = 0;
    uint64_t overhead_ = 0; // cycles that are not an instruction's own: stalls, extras, set_cycle()
    uint64_t limit_ = 0;
    std::string trap_reason_;

    std::vector<uint32_t> watched_; // addresses, sorted

    uint32_t idle_pc_ = 0;
    Op idle_op_ = Op::undecoded; // what idle_head stands in front of
    struct IdlePass {            // what was true when the watched address was last reached
        bool valid = false;
        Registers registers{};
        unsigned flags = 0;
        uint64_t cycle = 0, overhead = 0;
    } pass_;
    bool quiet_ = false;                           // since then: no store, no load from a clock
    uint64_t pass_cycles_ = 0, pass_overhead_ = 0; // after Stop::idle: of one pass; otherwise 0
    uint64_t skipped_ = 0;
    uint64_t idle_passes_ = 0;
};

} // namespace myri::emulator
