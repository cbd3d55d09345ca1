// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/cpu/cpu.h"

#include "abi/lanai.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace myri::emulator {
namespace {

template <typename... Values> std::string text(const char* format, Values... values) {
    char line[200];
    snprintf(line, sizeof line, format, values...);
    return line;
}

constexpr uint32_t sram_limit = 32u << 20; // what a direct branch reaches

} // namespace

Cpu::Cpu(std::span<uint8_t> sram, SpecialRegisters& special, CpuTiming timing)
    : sram_(sram), special_(special), timing_(timing) {
    if (sram.empty() || sram.size() % 4 != 0 || sram.size() > sram_limit)
        throw std::invalid_argument(
            text("SRAM of %zu bytes: must be a multiple of 4, from 4 to %u", sram.size(), sram_limit));
    reset(0);
}

void Cpu::reset(uint32_t pc) {
    size_t words = sram_.size() / 4;
    text_.reset(static_cast<Instruction*>(std::calloc(words + 1, sizeof(Instruction))));
    if (!text_)
        throw std::bad_alloc();
    text_[words].op = text_[words].action = Op::outside;
    text_low_ = text_length_ = 0;
    registers_ = {};
    registers_[1] = 0xffffffffu;
    flags_ = {};
    slots_ = 0;
    pass_.valid = false;
    pass_cycles_ = 0;
    trap_reason_.clear();
    pc_ = pc;
    if (pc % 4 != 0 || pc >= sram_.size())
        trap(text("start address 0x%08x: must be a multiple of 4 below 0x%08zx", pc, sram_.size()));
}

void Cpu::lower_limit(uint64_t cycle) {
    limit_ = std::min(limit_, cycle);
}

void Cpu::set_cycle(uint64_t cycle) {
    overhead_ += cycle - cycle_; // modulo 2^64: may well go down
    cycle_ = cycle;
    pass_.valid = false;
    pass_cycles_ = 0;
}

uint32_t Cpu::reg(unsigned n) const {
    if (n > 31)
        throw std::out_of_range(text("register %u: must be 0 to 31", n));
    return n == register_pc ? pc_ : registers_[n];
}

void Cpu::set_reg(unsigned n, uint32_t value) {
    if (n < 3 || n > 31)
        throw std::out_of_range(text("register %u cannot be set: must be 3 to 31", n));
    registers_[n] = value;
    pass_.valid = false;
    pass_cycles_ = 0;
}

void Cpu::watch_idle(uint32_t pc) {
    uint32_t before = std::exchange(idle_pc_, pc);
    for (uint32_t address : {before, pc})
        if (address % 4 == 0 && address < sram_.size())
            forget(address / 4);
    pass_.valid = false;
    pass_cycles_ = 0;
}

void Cpu::skip_idle(uint64_t to_cycle) {
    if (pass_cycles_ == 0 || to_cycle < cycle_)
        return;
    uint64_t passes = (to_cycle - cycle_) / pass_cycles_;
    cycle_ += passes * pass_cycles_;
    idle_passes_ += passes;
    overhead_ += passes * pass_overhead_;
    skipped_ += passes * (pass_cycles_ - pass_overhead_);
}

// Called at the watched address. Notes the state for the next time.
bool Cpu::idle_pass_repeats(Flags flags) {
    idle_passes_++;
    // The discard register and pc's copy are no state of the machine.
    bool same = pass_.valid && quiet_ && pass_.flags == flags.zncv() &&
                std::equal(registers_.begin() + 3, registers_.begin() + 32, pass_.registers.begin() + 3);
    if (same) {
        pass_cycles_ = cycle_ - pass_.cycle;
        pass_overhead_ = overhead_ - pass_.overhead;
    }
    pass_ = {true, registers_, flags.zncv(), cycle_, overhead_};
    quiet_ = true;
    return same;
}

uint32_t Cpu::word_at(uint32_t address) const {
    const uint8_t* p = &sram_[address];
    return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}

void Cpu::decode_at(uint32_t word_index) {
    uint32_t address = word_index * 4;
    Instruction in = decode(word_at(address));
    if (watches(address, 4))
        in.op = Op::watched;
    if (address == idle_pc_ && idle_pc_ != 0) {
        idle_op_ = in.op;
        in.op = Op::idle_head;
    }
    text_[word_index] = in;
    uint32_t end = text_length_ == 0 ? address + 4 : std::max(text_low_ + text_length_, address + 4);
    text_low_ = text_length_ == 0 ? address : std::min(text_low_, address);
    text_length_ = end - text_low_;
}

// Only the opcode: the instruction that is being executed may be forgetting itself.
void Cpu::forget(uint32_t word_index) {
    text_[word_index].op = Op::undecoded;
}

void Cpu::text_changed(uint32_t offset, uint32_t length) {
    uint64_t begin = std::max<uint64_t>(offset, text_low_);
    uint64_t end = std::min<uint64_t>(uint64_t{offset} + length, uint64_t{text_low_} + text_length_);
    for (uint64_t word = begin / 4; word * 4 < end; word++)
        forget(static_cast<uint32_t>(word));
}

bool Cpu::trap(std::string reason) {
    trap_reason_ = std::move(reason);
    return false;
}

bool Cpu::bad_address(const char* what, uint32_t address, unsigned bytes) {
    if (address % bytes != 0)
        return trap(text("%s of %u bytes at 0x%08x: unaligned", what, bytes, address));
    return trap(text("%s of %u bytes at 0x%08x: neither SRAM (below 0x%08zx) nor a special register", what,
                     bytes, address, sram_.size()));
}

void Cpu::bad_jump(uint32_t target, bool in_slot, uint32_t pending) {
    if (in_slot)
        trap(text("jump to 0x%08x in a delay slot of a jump to 0x%08x", target, pending));
    else
        trap(text("jump to 0x%08x: must be a multiple of 4 below 0x%08zx", target, sram_.size()));
}

void Cpu::trap_illegal(uint32_t pc) {
    uint32_t word = word_at(pc);
    trap(text("undefined instruction 0x%08x (%s)", word, why_illegal(word)));
}

void Cpu::watch_word(uint32_t address) {
    if (address % 4 != 0 || address >= sram_.size())
        throw std::out_of_range(
            text("watched word at 0x%08x: must be a multiple of 4 below 0x%08zx", address, sram_.size()));
    const auto place = std::lower_bound(watched_.begin(), watched_.end(), address);
    if (place != watched_.end() && *place == address)
        return;
    watched_.insert(place, address);
    forget(address / 4);
}

void Cpu::unwatch(uint32_t address, uint32_t bytes) {
    std::erase_if(watched_, [&](uint32_t word) {
        const bool inside = word >= address && uint64_t{word} + 4 <= uint64_t{address} + bytes;
        if (inside)
            forget(word / 4);
        return inside;
    });
}

bool Cpu::watches(uint32_t address, uint64_t bytes) const {
    const auto next = std::lower_bound(watched_.begin(), watched_.end(), address & ~3u);
    return next != watched_.end() && *next < address + bytes;
}

void Cpu::tell_watched(uint32_t address, unsigned bytes, bool is_store) {
    quiet_ = false; // the owner may change what the next pass sees
    special_.watched(address, bytes, is_store, cycle_);
}

// Data while words are watched, and what is no SRAM at any time.
bool Cpu::slow_load(uint32_t address, unsigned bytes, uint32_t& value) {
    if (address >= sram_.size() || address % bytes != 0)
        return special_load(address, bytes, value);
    value = word_at(address & ~3u) >> 8 * (4 - bytes - (address & 3));
    if (watches(address, bytes))
        tell_watched(address, bytes, false);
    return true;
}

bool Cpu::slow_store(uint32_t address, unsigned bytes, uint32_t value) {
    if (address >= sram_.size() || address % bytes != 0)
        return special_store(address, bytes, value);
    for (unsigned i = 0; i < bytes; i++)
        sram_[address + i] = static_cast<uint8_t>(value >> 8 * (bytes - 1 - i));
    forget(address / 4);
    if (watches(address, bytes))
        tell_watched(address, bytes, true);
    return true;
}

// What to do with the instruction that stands there.
bool Cpu::fetch_watched(uint32_t address, Op& op) {
    op = decode(word_at(address)).op;
    tell_watched(address, 4, false);
    return true;
}

bool Cpu::special_load(uint32_t address, unsigned bytes, uint32_t& value) {
    if (address < LANAI_SPECIAL || address % bytes != 0)
        return bad_address("load", address, bytes);
    uint32_t offset = address - LANAI_SPECIAL;
    switch (offset & ~3u) {
    case LANAI_CPUC:
    case LANAI_RTC:
    case LANAI_IT0:
    case LANAI_IT1:
    case LANAI_IT2:
        quiet_ = false;
    }
    value = special_.load(offset, bytes, cycle_);
    return true;
}

bool Cpu::special_store(uint32_t address, unsigned bytes, uint32_t value) {
    if (address < LANAI_SPECIAL || address % bytes != 0)
        return bad_address("store", address, bytes);
    special_.store(address - LANAI_SPECIAL, bytes, bytes == 4 ? value : value & ((1u << 8 * bytes) - 1),
                   cycle_);
    return true;
}

} // namespace myri::emulator
