// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tests/nic/rig.h"

using namespace nic_test;

namespace {

struct BusRig {
    explicit BusRig(const HostProfile& profile) : bus(scheduler, 1, profile, memory) {}
    void move(unsigned channel, bool to_card, uint64_t bus_address, uint32_t bytes, uint32_t repeats = 1) {
        if (sram[channel].size() < bytes)
            sram[channel].resize(bytes);
        PciBus::Request request;
        request.to_card = to_card;
        request.bus = bus_address;
        request.sram = std::span(sram[channel]).first(bytes);
        request.progress = [=, this](Time t, uint32_t done, bool last, bool ok) {
            progress.push_back({t, channel, done, last, ok});
            if (last && repeats > 1)
                move(channel, to_card, bus_address, bytes, repeats - 1);
        };
        bus.request(scheduler.now(), channel, std::move(request));
    }
    Time run() {
        while (scheduler.pending() && scheduler.next() != NEVER)
            scheduler.run_next();
        return progress.empty() ? 0 : progress.back().when;
    }
    struct Progress {
        Time when;
        unsigned channel;
        uint32_t done;
        bool last, ok;
    };
    Scheduler scheduler;
    FakeHost memory;
    PciBus bus;
    std::vector<uint8_t> sram[PciBus::CHANNELS];
    std::vector<Progress> progress;
};

double mb_per_s(uint64_t bytes, Time time) {
    return static_cast<double>(bytes) * 1e6 / static_cast<double>(time);
}

} // namespace

TEST_CASE("DMA of 32 chained 4 KiB blocks reaches the published rates of each host") {
    struct Row {
        const char* host;
        double read, write;
    };
    for (const Row& row : {Row{"opteron-8131", 824, 1032},
                           {"melody-8131", 936, 1032},
                           {"g5", 882, 1036},
                           {"hs20", 716, 784},
                           {"itanium-i870", 819, 947},
                           {"xeon-gc", 856, 1044}}) {
        CAPTURE(row.host);
        const HostProfile profile = load_host_profile(row.host);
        BusRig read(profile), write(profile);
        read.move(0, true, FakeHost::BASE, 4096, 32);
        CHECK(mb_per_s(32 * 4096, read.run()) == doctest::Approx(row.read).epsilon(0.002));
        write.move(1, false, FakeHost::BASE, 4096, 32);
        CHECK(mb_per_s(32 * 4096, write.run()) == doctest::Approx(row.write).epsilon(0.002));
    }
}

TEST_CASE("reading and writing together reach the serial bound, in turns") {
    BusRig rig(load_host_profile("opteron-8131"));
    rig.move(0, true, FakeHost::BASE, 4096, 32);
    rig.move(1, false, FakeHost::BASE + 65536, 4096, 32);
    CHECK(mb_per_s(2 * 32 * 4096, rig.run()) == doctest::Approx(2 / (1 / 824.0 + 1 / 1032.0)).epsilon(0.002));
    for (size_t i = 1; i < rig.progress.size(); i++)
        REQUIRE(rig.progress[i].channel != rig.progress[i - 1].channel);
}

TEST_CASE("a burst takes its overhead and one clock for each 8-byte cell that it touches") {
    const HostProfile profile = load_host_profile("opteron-8131"); // 151 and 17 clocks, 7.5 ns
    struct Row {
        bool to_card;
        uint64_t offset;
        uint32_t bytes, clocks;
    };
    for (const Row& row : {Row{true, 0, 8, 152},
                           {false, 0, 8, 18},
                           {false, 0, 1, 18},
                           {false, 7, 2, 19},
                           {false, 4, 8, 19},
                           {false, 0, 64, 25},
                           {true, 3, 4096 - 3, 151 + 512}}) {
        CAPTURE(row.offset);
        CAPTURE(row.bytes);
        BusRig rig(profile);
        rig.move(2, row.to_card, FakeHost::BASE + row.offset, row.bytes);
        CHECK(rig.run() == row.clocks * 7500);
        CHECK(rig.bus.busy_clocks() == row.clocks);
    }
}

TEST_CASE("an unaligned transfer is cut at 4 KiB boundaries of bus addresses") {
    BusRig rig(load_host_profile("opteron-8131"));
    rig.move(0, false, FakeHost::BASE + 0xff5, 32);
    // 11 bytes from 0xff5: cells 0xff0 and 0xff8; 21 bytes from 0x1000: 3 cells.
    CHECK(rig.run() == (17 + 2 + 17 + 3) * 7500);
    REQUIRE(rig.memory.accesses.size() == 2);
    CHECK(rig.memory.accesses[0].bus == FakeHost::BASE + 0xff5);
    CHECK(rig.memory.accesses[0].bytes == 11);
    CHECK(rig.memory.accesses[1].bus == FakeHost::BASE + 0x1000);
    CHECK(rig.memory.accesses[1].bytes == 21);
    REQUIRE(rig.progress.size() == 2);
    CHECK((rig.progress[0].done == 11 && !rig.progress[0].last));
    CHECK((rig.progress[1].done == 32 && rig.progress[1].last && rig.progress[1].ok));
}

TEST_CASE("the read limit cuts reads only") {
    HostProfile profile = load_host_profile("opteron-8131");
    profile.read_limit = 512;
    BusRig read(profile), write(profile);
    read.move(0, true, FakeHost::BASE, 4096);
    CHECK(read.run() == 8 * (151 + 64) * 7500);
    write.move(0, false, FakeHost::BASE, 4096);
    CHECK(write.run() == (17 + 512) * 7500);
}

TEST_CASE("written bytes are those of the burst's start and become visible after its end") {
    const HostProfile profile = load_host_profile("opteron-8131");
    BusRig rig(profile);
    rig.sram[0] = std::vector<uint8_t>(64, 0x11);
    rig.move(0, false, FakeHost::BASE, 64);
    const Time end = 25 * 7500, visible = end + profile.dma_visible_ns * NS;
    rig.scheduler.at(1, 9, [&](Time) { rig.sram[0].assign(64, 0x22); });
    rig.scheduler.at(visible - 1, 9, [&](Time) { CHECK(rig.memory.memory[0] == 0); });
    rig.run();
    CHECK(rig.progress[0].when == end);
    REQUIRE(rig.memory.accesses.size() == 1);
    CHECK(rig.memory.accesses[0].when == visible);
    CHECK(rig.memory.memory[63] == 0x11);
    CHECK(rig.bus.lookahead() == 18 * 7500 + profile.dma_visible_ns * NS);
}

TEST_CASE("read bytes are those of host memory at the burst's end") {
    BusRig rig(load_host_profile("opteron-8131"));
    rig.move(0, true, FakeHost::BASE, 8);
    rig.scheduler.at(152 * 7500 - 1, 9, [&](Time) {
        rig.memory.memory[7] = 0x77;
        CHECK(rig.sram[0][7] == 0);
    });
    rig.run();
    CHECK(rig.sram[0][7] == 0x77);
}

TEST_CASE("programmed stores go before the next burst") {
    const HostProfile profile = load_host_profile("opteron-8131"); // 3 clocks + cells, 30 ns
    BusRig rig(profile);
    const Time latency = profile.posted_latency_ns * NS;
    CHECK(rig.bus.posted_write(0, 8) == 4 * 7500 + latency);
    CHECK(rig.bus.posted_write(0, 64) == (4 + 11) * 7500 + latency);
    rig.move(0, true, FakeHost::BASE, 8192);
    // Two bursts of 663 clocks; a store in the middle of the first waits for its end and delays the second.
    rig.scheduler.at(1 * US, 9,
                     [&](Time t) { CHECK(rig.bus.posted_write(t, 8) == (15 + 663 + 4) * 7500 + latency); });
    CHECK(rig.run() == (15 + 663 + 4 + 663) * 7500);
}

TEST_CASE("a bus address without memory ends the request at once, in both directions") {
    for (bool to_card : {false, true}) {
        BusRig rig(load_host_profile("opteron-8131"));
        rig.move(0, to_card, FakeHost::BASE + (1 << 20) - 4096, 8192); // the second half lies behind the end
        rig.move(3, to_card, FakeHost::BASE, 8);
        rig.run();
        REQUIRE(rig.progress.size() == 3);
        CHECK((rig.progress[0].done == 4096 && !rig.progress[0].last && rig.progress[0].ok));
        CHECK((rig.progress[1].channel == 3 && rig.progress[1].last && rig.progress[1].ok));
        CHECK((rig.progress[2].done == 4096 && rig.progress[2].last && !rig.progress[2].ok));
    }
}

TEST_CASE("a write that only begins in memory moves nothing") {
    BusRig rig(load_host_profile("opteron-8131"));
    rig.memory.memory.resize(100);
    rig.sram[0].assign(64, 0x33);
    rig.move(0, false, FakeHost::BASE + 64, 64);
    rig.run();
    CHECK((rig.progress[0].done == 0 && rig.progress[0].last && !rig.progress[0].ok));
    CHECK(rig.memory.memory[64] == 0);
}

TEST_CASE("a second request on a busy channel is refused") {
    BusRig rig(load_host_profile("opteron-8131"));
    rig.move(0, true, FakeHost::BASE, 8);
    CHECK_THROWS_AS(rig.move(0, true, FakeHost::BASE, 8), std::logic_error);
}
