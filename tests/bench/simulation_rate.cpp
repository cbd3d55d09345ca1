// SPDX-License-Identifier: BSD-3-Clause
//
// How many LANai instructions the emulator executes in a second of processor time: a checksum program, a sort, and the
// firmware receiving short messages (there, DMA, bus and fabric are simulated in the same second). Skipped idle passes
// do not count.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/cpu/cpu.h"
#include "emulator/cpu/test_port.h"
#include "tests/rig/test_endpoint.h"

using namespace myri::rig;
using myri::emulator::Cpu;

namespace {

constexpr double SECONDS = 1.0; // at least, for each

double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct ExitPort : myri::emulator::SpecialRegisters {
    Cpu* cpu = nullptr;
    bool ended = false;
    uint32_t load(uint32_t, unsigned, uint64_t) override { return 0; }
    void store(uint32_t offset, unsigned, uint32_t, uint64_t cycle) override {
        if (offset != LANAI_TEST_EXIT_OFFSET)
            return;
        ended = true;
        cpu->lower_limit(cycle);
    }
};

double program_rate(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<uint8_t> image{std::istreambuf_iterator<char>(file), {}};
    if (image.empty())
        throw std::runtime_error("cannot read " + path);
    std::vector<uint8_t> sram(2u << 20);
    ExitPort port;
    Cpu cpu(sram, port);
    port.cpu = &cpu;
    const double start = now();
    while (now() - start < SECONDS) {
        std::copy(image.begin(), image.end(), sram.begin());
        port.ended = false;
        cpu.reset();
        while (!port.ended)
            if (cpu.run(cpu.cycle() + 10'000'000) == Cpu::Stop::trap)
                throw std::runtime_error(path + ": " + cpu.trap_reason());
    }
    return static_cast<double>(cpu.instructions()) / (now() - start);
}

double firmware_rate() {
    Rig rig;
    TestEndpoint from(rig, 0, 0), to(rig, 1, 0);
    const SlotRequest request = TestEndpoint::request(to, pattern(24, 1));
    auto executed = [&] {
        return rig.host(0).card().executed_instructions() + rig.host(1).card().executed_instructions();
    };
    const uint64_t before = executed();
    const double start = now();
    while (now() - start < SECONDS) {
        for (unsigned n = 0; n < FW_SLOTS / 2; n++)
            from.post_when_free(request);
        for (unsigned n = 0; n < FW_SLOTS / 2; n++)
            to.next();
    }
    return static_cast<double>(executed() - before) / (now() - start);
}

} // namespace

int main(int, char** argv) {
    const std::string programs = std::string(argv[0]).substr(0, std::string(argv[0]).rfind('/')) +
                                 "/../firmware/toolchain/";
    std::array<double, 3> rates = {program_rate(programs + "checksums-O2.bin"),
                                   program_rate(programs + "sorting_recursion-O2.bin"), firmware_rate()};
    std::printf("LANai instructions executed per second of processor time\n");
    const char* names[] = {"checksums", "sorting", "firmware receiving"};
    for (size_t n = 0; n < rates.size(); n++)
        std::printf("%-20s %7.1f M/s\n", names[n], rates[n] / 1e6);
    std::sort(rates.begin(), rates.end());
    std::printf("%-20s %7.1f M/s\n", "median", rates[1] / 1e6);
    return 0;
}
