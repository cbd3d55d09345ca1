// SPDX-License-Identifier: BSD-3-Clause
//
// One card with plain host memory and a link whose far end is the test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/lanai.h"
#include "emulator/clock/timeline.h"
#include "emulator/nic/card.h"
#include "tests/nic/program.h"

namespace nic_test {

using namespace myri::emulator;

inline constexpr Time NS = 1000, US = 1000 * NS, MS = 1000 * US;

// Host memory from bus address BASE on. Notes every transfer.
class FakeHost : public HostMemory {
public:
    static constexpr uint64_t BASE = 0x1'0000'0000;
    struct Access {
        Time when;
        uint64_t bus;
        size_t bytes;
        bool write;
    };
    bool dma_read(Time when, uint64_t bus, std::span<uint8_t> out) override {
        if (!inside(bus, out.size()))
            return false;
        std::copy_n(memory.begin() + static_cast<ptrdiff_t>(bus - BASE), out.size(), out.begin());
        accesses.push_back({when, bus, out.size(), false});
        return true;
    }
    bool dma_write(Time when, uint64_t bus, std::span<const uint8_t> in) override {
        if (!inside(bus, in.size()))
            return false;
        if (in.empty())
            return true;
        std::copy(in.begin(), in.end(), memory.begin() + static_cast<ptrdiff_t>(bus - BASE));
        accesses.push_back({when, bus, in.size(), true});
        return true;
    }
    std::vector<uint8_t> memory = std::vector<uint8_t>(1 << 20);
    std::vector<Access> accesses;

private:
    bool inside(uint64_t bus, size_t bytes) const {
        return bus >= BASE && bus - BASE < memory.size() && bus - BASE + bytes <= memory.size();
    }
};

// A cable of 500 ns. What the card sends is kept and, with `loop`, comes back without its route.
class FakeLink : public LinkPort {
public:
    static constexpr Time LATENCY = 500 * NS, BYTE = 4 * NS;
    explicit FakeLink(Scheduler& s) : scheduler(s) {}
    void attach(Client& c) override { client = &c; }
    void send(Time now, PacketPtr packet) override {
        CHECK_MESSAGE(!sending, "a packet was sent before the last one had left");
        sending = true;
        sent.push_back(packet);
        sent_at.push_back(now);
        const Time length = packet->wire_length() * BYTE;
        scheduler.at(now + length, FABRIC_RANK, [this, packet](Time t) {
            sending = false;
            client->packet_sent(t, packet);
        });
        if (loop) {
            auto copy = std::make_shared<Packet>(*packet);
            copy->route_used = copy->route_length;
            deliver(now + LATENCY, copy);
        }
    }
    void deliver(Time head, PacketPtr packet) {
        scheduler.at(head, FABRIC_RANK, [this, packet](Time t) { client->packet_head(t, packet); });
        scheduler.at(head + packet->wire_length() * BYTE, FABRIC_RANK,
                     [this, packet](Time t) { client->packet_tail(t, packet); });
    }
    void set_stop(Time now, bool stop) override { stops.push_back({now, stop}); }
    bool stopping() const { return !stops.empty() && stops.back().second; }
    bool up() const override { return true; }
    void set_up(Time, bool) override {}
    Time lookahead() const override { return LATENCY; }

    Scheduler& scheduler;
    Client* client = nullptr;
    bool sending = false, loop = false;
    std::vector<PacketPtr> sent;
    std::vector<Time> sent_at;
    std::vector<std::pair<Time, bool>> stops;
};

struct Rig {
    explicit Rig(const std::string& host = "opteron-8131", const std::string& card_name = "M3F-PCIXD-2")
        : link(scheduler), bus(scheduler, 1, load_host_profile(host), memory),
          card(scheduler, 2, load_card_profile(card_name), {0x0060dd491234, 300042}, bus, link) {
        timeline.add(card);
    }
    // Runs everything up to `until`; the processor stops at the first instruction that begins there or later.
    void run_until(Time until) {
        bool there = false;
        scheduler.at(until, FABRIC_RANK * 2, [&](Time) { there = true; });
        while (!there)
            timeline.step(until);
        now = until;
    }
    void run_for(Time span) { run_until(now + span); }
    uint32_t special(uint32_t offset) { return card.bar_read32(now, LANAI_BAR0_SPECIAL + offset); }
    void set_special(uint32_t offset, uint32_t value) {
        card.bar_write32(now, LANAI_BAR0_SPECIAL + offset, value);
    }
    uint32_t isr() { return special(LANAI_ISR); }
    uint32_t word(uint32_t offset) { return card.bar_read32(now, offset); }
    void set_word(uint32_t offset, uint32_t value) { card.bar_write32(now, offset, value); }
    void control(uint32_t value) { card.bar_write32(now, LANAI_BAR0_CONTROL_WORD, value); }
    void port_register(uint32_t number, uint32_t value) {
        set_special(LANAI_PORT_ADDR, number << 16);
        set_special(LANAI_PORT_DATA, value << 16);
    }
    // Loads a program at 0 and lets it run.
    void start(const Program& program, uint32_t idle_address = 0) {
        for (uint32_t i = 0; i < program.size(); i++)
            set_word(4 * i, program[i]);
        card.watch_idle(idle_address);
        control(LANAI_CONTROL_CPU_RESET_OFF);
    }

    // The 8-bit DMAn_COUNT registers lie in different byte lanes of their words.
    static uint32_t count_word(unsigned channel) { return 0x290 + 8 * channel; }
    static unsigned count_shift(unsigned channel) { return 24 - 8 * channel; }
    void hand_over(unsigned channel, uint32_t n) {
        set_special(count_word(channel), n << count_shift(channel));
    }
    uint32_t not_done(unsigned channel) {
        return special(count_word(channel)) >> count_shift(channel) & 0xff;
    }
    void dma_descriptor(uint32_t at, uint32_t flags, uint32_t bytes, uint64_t host, uint32_t sram,
                        uint32_t next, uint32_t checksum_from = 0) {
        const uint32_t words[] = {flags | bytes, static_cast<uint32_t>(host),
                                  sram,          static_cast<uint32_t>(host >> 32),
                                  next,          checksum_from << 16};
        for (uint32_t i = 0; i < 6; i++)
            set_word(at + 4 * i, words[i]);
    }
    void send_descriptor(uint32_t pointer, uint32_t flags_length) {
        set_special(LANAI_P0_SEND, pointer);
        set_special(LANAI_P0_SEND, flags_length);
    }

    Time now = 0;
    Scheduler scheduler;
    Timeline timeline{scheduler};
    FakeHost memory;
    FakeLink link;
    PciBus bus;
    Card card;
};

inline PacketPtr packet_of(size_t bytes, uint8_t first = 0, bool crc32 = false) {
    auto packet = std::make_shared<Packet>();
    for (size_t i = 0; i < bytes; i++)
        packet->bytes.push_back(static_cast<uint8_t>(first + i));
    packet->crc32 = crc32;
    return packet;
}

} // namespace nic_test
