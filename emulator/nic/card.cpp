// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/card.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "emulator/nic/buffer_faults.h"
#include "emulator/nic/chip.h"
#include "emulator/nic/eeprom.h"
#include "emulator/nic/special_registers.h"
#include "emulator/nic/sram.h"

namespace myri::emulator {
namespace {

// A slice without any limit would never return from firmware that never rests.
constexpr Time LONGEST_SLICE = milliseconds(1);
// While somebody watches for what firmware does with a packet: less than firmware takes from one to the next.
constexpr uint64_t WATCHED_STEP = 8;
// Cycles of two idle passes, the slowest with all endpoints open (tests/bench/firmware-cycles.txt), and some.
constexpr uint64_t LOOK = 2048;
constexpr uint32_t NOTHING_THERE = ~0u; // reading what decodes to nothing

} // namespace

struct Card::State final : Chip, SpecialRegisters, LinkPort::Client {
    State(Scheduler& s, Rank r, const CardProfile& p, const Identity& i, PciBus& b, LinkPort& l)
        : scheduler(s), rank(r), card_profile(p), identity(i), bus(b), link(l), clock(p.lanai_khz),
          memory(p.sram_bytes), sram_faults(*this), timers(*this), dma(*this, b), send(*this, l, port, (uint64_t{r} << 40) + 1),
          receive(*this, l, port), registers({interrupt_unit, timers, dma, port, send, receive}, clock,
                                             p.sram_bytes, b.profile().bus_mhz),
          cpu(memory.bytes(), *this, p.cpu) {
        place_eeprom();
        link.attach(*this);
        show_link(link.up());
    }

    // Processor
    bool running() const { return !held && !io_reset && !trapped && !stalled; }
    Time processor_clock() const { return running() && !idle ? clock.time_of(cpu.cycle()) : NEVER; }
    void execute(uint64_t to);
    void advance_to(Time now);
    void control(Time now, uint32_t value);
    void reset_units(Time now);
    void place_eeprom();
    void show_link(bool up);

    // Chip
    const CardProfile& profile() const override { return card_profile; }
    std::span<uint8_t> sram() override { return memory.bytes(); }
    Interrupts& interrupts() override { return interrupt_unit; }
    BufferFaults& buffer_faults() override { return sram_faults; }
    PacketObserver* observer() override { return packet_observer; }
    void touch(Time now) override {
        advance_to(now);
        idle = false;
    }
    void sram_changed(uint32_t offset, uint32_t bytes) override {
        cpu.text_changed(offset, bytes);
        if (cpu.watching())
            cpu.unwatch(offset, bytes);
    }
    void sram_read(Time now, uint32_t offset, uint32_t bytes) override {
        if (!cpu.watches(offset, bytes))
            return;
        touch(now);
        interrupt_unit.latch(now, LANAI_ISR_PARITY);
    }
    Scheduler::EventId at(Time when, std::function<void(Time)> action, bool visible) override;
    void cancel(const Scheduler::EventId& event) override { scheduler.cancel(event); }
    Time after(Time now, uint32_t cycles) const override {
        return clock.time_of(clock.cycle_at(now) + cycles);
    }

    // SpecialRegisters: the processor's accesses.
    uint32_t load(uint32_t offset, unsigned bytes, uint64_t cycle) override;
    void store(uint32_t offset, unsigned bytes, uint32_t value, uint64_t cycle) override;
    // Its watched words are those with bad parity.
    void watched(uint32_t address, unsigned bytes, bool is_store, uint64_t cycle) override {
        if (is_store && bytes == 4)
            cpu.unwatch(address, bytes);
        else
            interrupt_unit.latch(clock.time_of(cycle), LANAI_ISR_PARITY);
    }

    // LinkPort::Client
    void packet_sent(Time now, const PacketPtr&) override { touch(now), send.packet_sent(now); }
    void packet_head(Time now, const PacketPtr& packet) override {
        touch(now), receive.packet_head(now, packet);
    }
    void packet_tail(Time now, const PacketPtr& packet) override {
        touch(now), receive.packet_tail(now, packet);
    }
    void stop_changed(Time now, bool stopped) override { touch(now), send.stop_changed(now, stopped); }
    void link_changed(Time now, bool up) override { touch(now), show_link(up); }

    Scheduler& scheduler;
    const Rank rank;
    const CardProfile card_profile;
    const Identity identity;
    PciBus& bus;
    LinkPort& link;
    const ChipClock clock;
    Sram memory;
    Interrupts interrupt_unit;
    BufferFaults sram_faults;
    PacketObserver* packet_observer = nullptr;
    Timers timers;
    DmaEngine dma;
    PortRegisters port;
    SendPort send;
    ReceivePort receive;
    RegisterDecoder registers;
    Cpu cpu;

    bool held = true; // CPU reset
    bool io_reset = false;
    bool trapped = false;
    bool stalled = false;
    bool idle = false;       // the processor waits in its idle loop for something to happen
    uint64_t lowered_to = NEVER; // cycle at which something came up while the processor ran
    bool saw_moving = false; // since it last came by there, it read a count that grows by itself
    bool skipping = true;
    uint32_t idle_address = 0;
    uint64_t epoch = 0;                              // of I/O resets
    uint64_t first_cycle = 0, first_instruction = 0; // when the processor left reset
};

void Card::State::execute(uint64_t to) {
    lowered_to = NEVER;
    while (running() && !idle && cpu.cycle() < to) {
        const bool watched = packet_observer && packet_observer->watching();
        const Cpu::Stop stop = cpu.run(watched ? std::min(to, cpu.cycle() + WATCHED_STEP) : to);
        if (watched)
            packet_observer->progressed();
        switch (stop) {
        case Cpu::Stop::limit:
            if (!watched || cpu.cycle() >= lowered_to)
                return;
            break;
        case Cpu::Stop::trap:
            trapped = true;
            return;
        case Cpu::Stop::idle:
            idle = !std::exchange(saw_moving, false);
        }
    }
}

void Card::State::advance_to(Time now) {
    const uint64_t to = clock.cycle_at(now);
    while (running() && cpu.cycle() < to) {
        if (idle)
            cpu.skip_idle(to);
        idle = false;
        execute(to);
    }
}

Scheduler::EventId Card::State::at(Time when, std::function<void(Time)> action, bool visible) {
    return scheduler.at(when, rank, [this, born = epoch, visible, action = std::move(action)](Time now) {
        if (born != epoch)
            return;
        if (visible)
            touch(now);
        action(now);
    });
}

uint32_t Card::State::load(uint32_t offset, unsigned bytes, uint64_t cycle) {
    if ((offset & ~3u) == LANAI_P0_RPL_INDEX && receive.in_progress())
        saw_moving = true;
    return registers.load(clock.time_of(cycle), offset, bytes);
}

void Card::State::store(uint32_t offset, unsigned bytes, uint32_t value, uint64_t cycle) {
    registers.store(clock.time_of(cycle), offset, bytes, value, false);
    const Time next = scheduler.next();
    if (next != NEVER) {
        lowered_to = clock.cycle_at(next);
        cpu.lower_limit(lowered_to);
    }
}

void Card::State::control(Time now, uint32_t value) {
    advance_to(now);
    if (value & LANAI_CONTROL_IO_RESET_ON) {
        io_reset = true;
        reset_units(now);
    }
    if (value & LANAI_CONTROL_CPU_RESET_ON)
        held = true;
    const bool was_running = running();
    if (value & LANAI_CONTROL_IO_RESET_OFF && io_reset) {
        io_reset = false;
        place_eeprom();
    }
    if (value & LANAI_CONTROL_CPU_RESET_OFF && held) {
        held = false;
        trapped = stalled = false;
    }
    if (running() && !was_running) {
        cpu.reset(0);
        cpu.set_cycle(clock.cycle_at(now));
        first_cycle = cpu.cycle();
        first_instruction = cpu.instructions();
        idle = saw_moving = false;
    }
    if (value & LANAI_CONTROL_PCI_INTERRUPT_DISABLE)
        interrupt_unit.enable_pci_interrupts(now, false);
    if (value & LANAI_CONTROL_PCI_INTERRUPT_ENABLE)
        interrupt_unit.enable_pci_interrupts(now, true);
}

void Card::State::reset_units(Time now) {
    epoch++;
    interrupt_unit.reset(now);
    timers.reset();
    dma.reset();
    port.reset();
    send.reset();
    receive.reset(now);
    registers.reset();
}

void Card::State::place_eeprom() {
    const auto strings = eeprom_strings(card_profile, identity.mac, identity.serial);
    const uint32_t offset = card_profile.sram_bytes - LANAI_EEPROM_SIZE;
    std::copy(strings.begin(), strings.end(), sram().begin() + offset);
    sram_changed(offset, LANAI_EEPROM_SIZE);
}

void Card::State::show_link(bool up) {
    interrupt_unit.set_level(LANAI_ISR_P0_LINK_READY, up);
    interrupt_unit.set_aisr(LANAI_AISR_MYRI_BEAT, up);
    interrupt_unit.set_aisr(LANAI_AISR_MYRI_NO_BEAT, !up);
}

Card::Card(Scheduler& scheduler, Rank rank, const CardProfile& profile, const Identity& identity, PciBus& bus,
           LinkPort& link)
    : state_(std::make_unique<State>(scheduler, rank, profile, identity, bus, link)) {}

Card::~Card() = default;

uint32_t Card::bar_read32(Time now, uint32_t offset) {
    State& s = *state_;
    offset &= ~3u;
    // Idle firmware stores nothing, so there is no need to bring it to `now`.
    if (!s.idle)
        s.advance_to(now);
    if (s.inside_sram(offset, 4)) {
        s.sram_read(now, offset, 4);
        return s.sram_word(offset);
    }
    if (offset >= LANAI_BAR0_SPECIAL && offset - LANAI_BAR0_SPECIAL < LANAI_SPECIAL_SIZE)
        return s.registers.load(now, offset - LANAI_BAR0_SPECIAL, 4);
    return NOTHING_THERE;
}

void Card::bar_write32(Time now, uint32_t offset, uint32_t value) {
    State& s = *state_;
    offset &= ~3u;
    s.touch(now);
    if (s.inside_sram(offset, 4))
        s.set_sram_word(offset, value);
    else if (offset == LANAI_BAR0_CONTROL_WORD)
        s.control(now, value);
    else if (offset >= LANAI_BAR0_SPECIAL && offset - LANAI_BAR0_SPECIAL < LANAI_SPECIAL_SIZE)
        s.registers.store(now, offset - LANAI_BAR0_SPECIAL, 4, value, true);
}

void Card::bar_write(Time now, uint32_t offset, unsigned bytes, uint32_t value) {
    State& s = *state_;
    if (bytes == 4 || offset < LANAI_BAR0_SPECIAL || offset - LANAI_BAR0_SPECIAL >= LANAI_SPECIAL_SIZE)
        return bytes == 4 ? bar_write32(now, offset, value) : void();
    s.touch(now);
    s.registers.store(now, offset - LANAI_BAR0_SPECIAL, bytes, value, true);
}

void Card::sram_write(Time now, uint32_t offset, std::span<const uint8_t> bytes) {
    State& s = *state_;
    if (!s.inside_sram(offset, bytes.size()))
        throw std::out_of_range("store of " + std::to_string(bytes.size()) + " bytes at SRAM offset " +
                                std::to_string(offset) + ": SRAM has " + std::to_string(s.sram().size()));
    s.touch(now);
    std::copy(bytes.begin(), bytes.end(), s.sram().begin() + offset);
    s.sram_changed(offset, static_cast<uint32_t>(bytes.size()));
}

std::span<uint8_t> Card::sram() {
    return state_->sram();
}
int Card::sram_fd() const {
    return state_->memory.fd();
}

void Card::set_interrupt_handler(std::function<void(Time, bool)> handler) {
    state_->interrupt_unit.on_line = std::move(handler);
}

void Card::enable_faults(FaultInjector& injector, unsigned host) {
    state_->sram_faults.enable(injector, host);
}

void Card::observe_packets(PacketObserver* observer) {
    state_->packet_observer = observer;
}

void Card::inject_parity(Time now, uint32_t offset) {
    state_->touch(now);
    state_->cpu.watch_word(offset);
}

void Card::sram_written_unseen(Time now) {
    state_->touch(now);
    state_->sram_changed(0, static_cast<uint32_t>(state_->sram().size()));
}

void Card::stall(Time now) {
    state_->touch(now);
    state_->stalled = true;
}

Time Card::clock() const {
    return state_->processor_clock();
}

Time Card::lookahead() const {
    return std::min(state_->link.lookahead(), state_->bus.lookahead());
}

void Card::run(Time limit) {
    State& s = *state_;
    s.execute(s.clock.cycle_at(std::min(limit, s.clock.time_of(s.cpu.cycle()) + LONGEST_SLICE)));
}

void Card::advance_to(Time now) {
    state_->advance_to(now);
}

void Card::watch_idle(uint32_t address) {
    state_->idle_address = address;
    state_->cpu.watch_idle(state_->skipping ? address : 0);
}

void Card::set_idle_skipping(bool on) {
    state_->skipping = on;
    watch_idle(state_->idle_address);
}

void Card::touch(Time now) {
    state_->touch(now);
}
bool Card::look(Time now) {
    State& s = *state_;
    s.touch(now);
    const uint64_t to = std::max(s.cpu.cycle(), s.clock.cycle_at(now)) + LOOK;
    s.execute(std::min(to, s.scheduler.next() == NEVER ? to : s.clock.cycle_at(s.scheduler.next())));
    return s.idle || !s.running();
}
bool Card::idle() const {
    return state_->idle;
}
bool Card::running() const {
    return state_->running();
}
uint64_t Card::cycles() const {
    return state_->cpu.cycle() - state_->first_cycle;
}
uint64_t Card::instructions() const {
    return state_->cpu.instructions() - state_->first_instruction;
}
uint64_t Card::executed_instructions() const {
    return instructions() - state_->cpu.skipped_instructions();
}
uint64_t Card::idle_passes() const { return state_->cpu.idle_passes(); }
bool Card::trapped() const {
    return state_->trapped;
}
std::string Card::trap_reason() const {
    return state_->trapped ? state_->cpu.trap_reason() : "";
}
const CardProfile& Card::profile() const {
    return state_->card_profile;
}
const Card::Identity& Card::identity() const {
    return state_->identity;
}

} // namespace myri::emulator
