// SPDX-License-Identifier: BSD-3-Clause
//
// Where a null message's latency goes: bus, LANai, link and switch, measured card to card; the host's part is what
// remains of a latency measured by mx_pingpong. Usage: latency_split MICROSECONDS (the D card, opteron-8131)
#include <cstdio>
#include <cstdlib>

#include "tests/bench/one_way.h"

using namespace myri::rig;

namespace {

void line(const char* part, double us, double cycles = 0) {
    std::printf("   %-44s %6.3f us", part, us);
    if (cycles > 0)
        std::printf("   %5.1f cycles", cycles);
    std::printf("\n");
}

} // namespace

int main(int argc, char** argv) {
    char* end = nullptr;
    const double total = argc == 2 ? std::strtod(argv[1], &end) : 0;
    if (argc != 2 || *end != 0 || total <= 0) {
        std::fprintf(stderr, "usage: latency_split MICROSECONDS (above 0, as mx_pingpong prints for 0 bytes)\n");
        return 2;
    }
    Rig rig;
    TestEndpoint from(rig, 0, 0), to(rig, 1, 0);
    const SlotRequest null_message = TestEndpoint::request(to, pattern(24, 1));
    constexpr unsigned MESSAGES = 64;
    OneWay sum;
    for (unsigned n = 0; n < MESSAGES; n++) {
        rig.run_for(microseconds(50) + nanoseconds(7) * n); // another phase of the idle loop each time
        sum += one_way(rig, from, to, null_message);
    }
    auto us = [](myri::emulator::Time t) { return static_cast<double>(t) / MESSAGES / 1e6; };
    const double per_us = rig.host(0).card().profile().lanai_khz / 1e3;
    line("bus: request to the card, event to the host", us(sum.bus_out + sum.bus_in));
    line("LANai, sending card", us(sum.lanai_out), us(sum.lanai_out) * per_us);
    line("LANai, receiving card", us(sum.lanai_in), us(sum.lanai_in) * per_us);
    line("link and switch", us(sum.link));
    line("host: calls, checksum, stores, polls (the rest)", total - us(sum.total()));
    line("sum: null latency by mx_pingpong", total);
    return 0;
}
