// SPDX-License-Identifier: BSD-3-Clause
//
// LANai cycles that the firmware spends on a message: the table of `make bench-firmware`.
//
// work      cycles beyond what the idle loop would have taken in the same time, over the whole message: request,
//           completion, bookkeeping.
// latency   from the request in SRAM to the packet's first byte on the wire, and from its last byte to the event's
//           DMA transfer on the bus; the mean over many phases of the idle loop. Engines' cycles are in it.
//
// Everything is virtual time: two runs print the same.
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/bench/one_way.h"

using namespace myri::rig;
using myri::emulator::Time;

namespace {

constexpr unsigned MESSAGES = 64;
constexpr Time SPACING = microseconds(100);

struct Work {
    uint64_t cycles, passes;
};

Work work_of(Rig& rig, unsigned host) {
    auto& card = rig.host(host).card();
    card.advance_to(rig.now());
    return {card.cycles(), card.idle_passes()};
}

double cycles_of(Time time, uint32_t khz) { return static_cast<double>(time) * khz / 1e9; }

class Bench {
public:
    Bench(unsigned endpoints, unsigned data_access_extra)
        : rig_({.data_access_extra = data_access_extra}) {
        for (unsigned n = 0; n < endpoints; n++)
            for (unsigned host = 0; host < 2; host++)
                ends_[host].push_back(std::make_unique<TestEndpoint>(rig_, host, n));
        rig_.run_for(SPACING);
        for (unsigned host = 0; host < 2; host++) {
            const Work before = work_of(rig_, host);
            rig_.run_for(microseconds(500));
            const Work after = work_of(rig_, host);
            pass_[host] = static_cast<double>(after.cycles - before.cycles) /
                          static_cast<double>(after.passes - before.passes);
        }
    }

    double idle_pass() const { return pass_[0]; }

    // One class of message from endpoint 0 of host 0 to endpoint 0 of host 1.
    void messages(const char* name, uint8_t type, size_t body, size_t data) {
        TestEndpoint &from = *ends_[0][0], &to = *ends_[1][0];
        SlotRequest request = TestEndpoint::request(to, pattern(body, 1));
        request.type = type;
        if (data)
            request.length = static_cast<uint16_t>(data);
        const Work sender = work_of(rig_, 0), receiver = work_of(rig_, 1);
        Time out = 0, in = 0;
        for (unsigned n = 0; n < MESSAGES; n++) {
            const Time start = rig_.now();
            const OneWay parts = one_way(rig_, from, to, request);
            out += parts.lanai_out;
            in += parts.lanai_in;
            rig_.run_for(SPACING - (rig_.now() - start) + nanoseconds(7) * n); // another phase each time
        }
        const Work s = work_of(rig_, 0), r = work_of(rig_, 1);
        const uint32_t khz = rig_.host(0).card().profile().lanai_khz;
        std::printf("%-10s %9.1f %9.1f %9.1f %9.1f\n", name, busy(0, sender, s), busy(1, receiver, r),
                    cycles_of(out, khz) / MESSAGES, cycles_of(in, khz) / MESSAGES);
    }

private:
    double busy(unsigned host, const Work& before, const Work& after) const {
        return (static_cast<double>(after.cycles - before.cycles) -
                static_cast<double>(after.passes - before.passes) * pass_[host]) /
               MESSAGES;
    }

    Rig rig_;
    std::vector<std::unique_ptr<TestEndpoint>> ends_[2];
    double pass_[2] = {};
};

void table(unsigned endpoints, unsigned extra) {
    Bench bench(endpoints, extra);
    std::printf("endpoints open: %u; extra cycles per data access: %u; idle pass: %.1f cycles\n", endpoints, extra,
                bench.idle_pass());
    std::printf("%-10s %9s %9s %9s %9s\n", "message", "work", "work", "latency", "latency");
    std::printf("%-10s %9s %9s %9s %9s\n", "", "sender", "receiver", "sender", "receiver");
    bench.messages("null", FW_SLOT_SEND, 24, 0);
    bench.messages("16 B", FW_SLOT_SEND, 40, 0);
    bench.messages("32 B", FW_SLOT_SEND, WIRE_BODY_DATA + 32, 0);
    bench.messages("128 B", FW_SLOT_SEND, WIRE_BODY_DATA + 128, 0);
    bench.messages("4096 B", FW_SLOT_MEDIUM, WIRE_BODY_DATA, 4096);
    std::printf("\n");
}

} // namespace

int main() {
    std::printf("card M3F-PCIXD-2, host opteron-8131, LANai cycles per message\n\n");
    for (unsigned extra : {0u, 1u})
        for (unsigned endpoints : {1u, 32u})
            table(endpoints, extra);
    return 0;
}
