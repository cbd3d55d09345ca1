// SPDX-License-Identifier: BSD-3-Clause
//
// One emulated LANai X card: SRAM, processor, special registers, DMA engines, one packet port.
//
// Its host reaches it through BAR0; every access carries the virtual time at which it arrives in the card.
// Its processor is an actor of the timeline: it runs ahead between events, and whoever changes what the
// firmware can see first brings it to that time (advance_to). Idle firmware (emulator/cpu/cpu.h, watch_idle)
// makes the card's clock NEVER until something touches it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "emulator/clock/timeline.h"
#include "emulator/fabric/fault_injector.h"
#include "emulator/fabric/link_port.h"
#include "emulator/host/pci_bus.h"
#include "emulator/nic/card_profile.h"
#include "emulator/nic/packet_observer.h"

namespace myri::emulator {

class Card : public Actor {
public:
    struct Identity {
        uint64_t mac = 0; // 48 bits
        uint32_t serial = 0;
    };
    Card(Scheduler& scheduler, Rank rank, const CardProfile& profile, const Identity& identity, PciBus& bus,
         LinkPort& link);
    ~Card() override;

    // BAR0, as a host's 32-bit accesses at byte offset `offset` (aligned) see it: values in the card's
    // big-endian order as a number, so that SRAM bytes 00 00 00 01 read as 1. Offsets that decode to nothing
    // read as all ones and swallow stores.
    uint32_t bar_read32(Time now, uint32_t offset);
    void bar_write32(Time now, uint32_t offset, uint32_t value);
    // The same for 1, 2 or 4 bytes at a multiple of their number; less than 4 reach only the narrow registers.
    void bar_write(Time now, uint32_t offset, unsigned bytes, uint32_t value);
    // A burst of bytes into SRAM, as write-combined stores make it. The range must lie inside SRAM.
    void sram_write(Time now, uint32_t offset, std::span<const uint8_t> bytes);
    // SRAM itself: for mapping windows into free-running clients (a memfd) and for tests.
    std::span<uint8_t> sram();
    int sram_fd() const;
    // Called when the level of the interrupt line changes.
    void set_interrupt_handler(std::function<void(Time, bool level)> handler);

    // SRAM faults, on packets of this card; without this call there are none.
    void enable_faults(FaultInjector& injector, unsigned host);
    // Must outlive the card, or be taken away by null.
    void observe_packets(PacketObserver* observer);

    // The word at `offset` (a multiple of 4 in SRAM, else std::out_of_range) has bad parity from now on: whoever reads
    // it, in part too, sets ISR.PARITY_INT. A store of the whole word repairs it, except one of a process into its
    // mapped window, which the emulator does not see.
    void inject_parity(Time now, uint32_t offset);
    // Somebody whose stores the emulator does not see may have written all of SRAM: no word has bad parity any more.
    void sram_written_unseen(Time now);
    // The processor executes nothing any more until its reset is released again. Not a trap.
    void stall(Time now);

    // Actor
    Time clock() const override;
    Time lookahead() const override;
    void run(Time limit) override;
    // Brings the processor to `now` (never backwards); called before anything the firmware can see changes.
    void advance_to(Time now);
    // Address of the firmware's idle loop, 0 for none; with skipping off nothing is skipped.
    void watch_idle(uint32_t address);
    void set_idle_skipping(bool on);
    // Something changed SRAM behind the emulator's back (a free-running client): an idle card looks again.
    void touch(Time now);
    // The same, and its processor goes on at once, ahead of everybody, until it has been through a whole idle pass.
    // True if that found nothing, or if it does not run. Only free running: cards are not in step for a moment.
    bool look(Time now);
    bool idle() const;
    bool running() const; // the processor is not held in reset and has not stopped

    uint64_t cycles() const; // of the processor since it left reset
    uint64_t instructions() const;
    uint64_t executed_instructions() const; // without those of skipped idle passes
    uint64_t idle_passes() const;  // of the firmware's loop, also those that did work
    bool trapped() const; // the processor met something undefined; trap_reason() says what
    std::string trap_reason() const;
    const CardProfile& profile() const;
    const Identity& identity() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace myri::emulator
