// SPDX-License-Identifier: BSD-3-Clause
// lanai-run IMAGE: runs a flat LANai image alone, without a card.
//
// The image is loaded at 0 and started there. Special registers: CPUC (0xFFFFFD28) counts cycles and can be
// set; the test port (test_port.h) is
//   0xFFFFFFF0  a byte stored here is printed on stdout
//   0xFFFFFFF8  a word stored here ends the run with that exit status, 0 to 255
// Any other special register ends the run with an error.
// Exit status: the program's own; 1 after a trap or another error of the program; 2 for wrong usage or an
// unreadable file; 124 when --max-cycles ran out.
#include "abi/lanai.h"
#include "emulator/cpu/cpu.h"
#include "emulator/cpu/disassemble.h"
#include "emulator/cpu/profile.h"
#include "emulator/cpu/test_port.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

using namespace myri::emulator;

namespace {

struct UsageError : std::runtime_error {
    using runtime_error::runtime_error;
};

class TestPort : public SpecialRegisters {
public:
    Cpu* cpu = nullptr;
    std::optional<uint32_t> exit_status;
    std::string error;
    uint32_t error_pc = 0;
    bool at_line_start = true;

    uint32_t load(uint32_t offset, unsigned bytes, uint64_t cycle) override {
        if (offset == LANAI_CPUC && bytes == 4)
            return static_cast<uint32_t>(cycle) + cpuc_difference_;
        fail(no_register("load", offset, bytes));
        return 0;
    }

    void store(uint32_t offset, unsigned bytes, uint32_t value, uint64_t cycle) override {
        if (offset == LANAI_CPUC && bytes == 4) {
            cpuc_difference_ = value - static_cast<uint32_t>(cycle);
        } else if (offset == LANAI_TEST_PRINT_OFFSET && bytes == 1) {
            int character = static_cast<int>(value & 0xff);
            putchar(character);
            at_line_start = character == '\n';
        } else if (offset == LANAI_TEST_EXIT_OFFSET && bytes == 4) {
            if (value > 255)
                fail(fmt::format("exit status {}: must be 0 to 255", value));
            exit_status = value;
            cpu->lower_limit(0);
        } else {
            fail(no_register("store", offset, bytes));
        }
    }

private:
    uint32_t cpuc_difference_ = 0;

    void fail(std::string reason) {
        error = std::move(reason);
        error_pc = cpu->pc();
        cpu->lower_limit(0);
    }

    static std::string no_register(const char* what, uint32_t offset, unsigned bytes) {
        return fmt::format("{} of {} bytes at {:#010x}: no such register in the test port", what, bytes,
                           LANAI_SPECIAL + offset);
    }
};

struct Options {
    std::string image, map;
    uint64_t sram = 2u << 20, max_cycles = 0;
    CpuTiming timing;
    bool trace = false, profile = false, json = false, bench = false;
};

std::vector<uint8_t> load_image(const Options& options) {
    std::ifstream file(options.image, std::ios::binary);
    std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad())
        throw UsageError(fmt::format("cannot read image '{}'", options.image));
    if (bytes.empty() || bytes.size() > options.sram)
        throw UsageError(fmt::format("image '{}' has {} bytes: must be 1 to {} (--sram)", options.image,
                                     bytes.size(), options.sram));
    bytes.resize(options.sram);
    return bytes;
}

// One instruction: its cycle, address, word and text, and the registers that it changed.
Cpu::Stop step_with_trace(Cpu& cpu, const std::vector<uint8_t>& sram) {
    uint32_t before[32], pc = cpu.pc();
    for (unsigned n = 0; n < 32; n++)
        before[n] = cpu.reg(n);
    std::string line = fmt::format("{:10} {:08x}", cpu.cycle(), pc);
    if (pc < sram.size()) {
        uint32_t word = 0;
        for (uint32_t i = 0; i < 4; i++)
            word = word << 8 | sram[pc + i];
        line +=
            fmt::format(" {:08x} {}{:28}", word, cpu.jump_pending() ? '|' : ' ', disassemble(decode(word)));
    }
    Cpu::Stop stop = cpu.run(cpu.cycle() + 1);
    for (unsigned n = 3; n < 32; n++)
        if (cpu.reg(n) != before[n])
            line += fmt::format(" r{}={:08x}", n, cpu.reg(n));
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print(stderr, "{}\n", line);
    return stop;
}

void report(const Options& options, const Cpu& cpu, const Profile* profile, double seconds) {
    uint64_t executed = cpu.instructions() - cpu.skipped_instructions();
    double rate = seconds > 0 ? static_cast<double>(executed) / seconds : 0;
    if (options.json) {
        nlohmann::ordered_json json = {{"cycles", cpu.cycle()}, {"instructions", cpu.instructions()}};
        if (options.bench)
            json["instructions_per_second"] = rate;
        if (profile) {
            json["functions"] = nlohmann::ordered_json::array();
            for (const auto& f : profile->used())
                json["functions"].push_back({{"name", f.name},
                                             {"address", f.address},
                                             {"entered", f.entered},
                                             {"instructions", f.instructions},
                                             {"cycles", f.cycles}});
        }
        fmt::print("{}\n", json.dump());
        return;
    }
    if (profile) {
        fmt::print(stderr, "{:>12} {:>6} {:>12} {:>10}  {}\n", "cycles", "%", "instructions", "entered",
                   "function");
        for (const auto& f : profile->used())
            fmt::print(stderr, "{:12} {:6.2f} {:12} {:10}  {}\n", f.cycles,
                       100.0 * static_cast<double>(f.cycles) / static_cast<double>(cpu.cycle()),
                       f.instructions, f.entered, f.name);
    }
    if (options.bench)
        fmt::print(stderr,
                   "{} instructions, {} cycles in {:.3f} s of processor time: {:.1f} M instructions/s\n",
                   executed, cpu.cycle(), seconds, rate / 1e6);
}

int run(const Options& options) {
    std::optional<Profile> profile;
    if (options.profile) {
        std::ifstream map(options.map);
        if (!map)
            throw UsageError(fmt::format("cannot read map '{}'", options.map));
        profile.emplace(map);
    }
    std::vector<uint8_t> sram = load_image(options);
    TestPort port;
    Cpu cpu(sram, port, options.timing);
    port.cpu = &cpu;
    const uint64_t limit = options.max_cycles ? options.max_cycles : UINT64_MAX;

    std::clock_t start = std::clock(); // processor time: other load on the machine does not count
    Cpu::Stop stop = Cpu::Stop::limit;
    auto ended = [&] { return stop == Cpu::Stop::trap || port.exit_status || !port.error.empty(); };
    if (!options.trace && !profile)
        stop = cpu.run(limit);
    else
        while (!ended() && cpu.cycle() < limit) {
            uint32_t pc = cpu.pc();
            uint64_t cycle = cpu.cycle();
            stop = options.trace ? step_with_trace(cpu, sram) : cpu.run(cycle + 1);
            if (profile && stop != Cpu::Stop::trap)
                profile->count(pc, cpu.cycle() - cycle);
        }
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;

    if (options.json && !port.at_line_start)
        putchar('\n');
    report(options, cpu, profile ? &*profile : nullptr, seconds);
    if (stop == Cpu::Stop::trap) {
        port.error = cpu.trap_reason();
        port.error_pc = cpu.pc();
    }
    if (!port.error.empty()) {
        fmt::print(stderr, "lanai-run: pc {:#010x}, cycle {}: {}\n", port.error_pc, cpu.cycle(), port.error);
        return 1;
    }
    if (!port.exit_status) {
        fmt::print(stderr, "lanai-run: pc {:#010x}: stopped after {} cycles (--max-cycles)\n", cpu.pc(),
                   cpu.cycle());
        return 124;
    }
    return static_cast<int>(*port.exit_status);
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Runs a flat LANai image alone: loaded and started at address 0.", "lanai-run"};
    app.add_option("IMAGE", options.image, "flat image")->required();
    app.add_option("--sram", options.sram, "bytes of SRAM, a multiple of 4")
        ->check(CLI::Range(uint64_t{4}, uint64_t{32} << 20))
        ->capture_default_str();
    app.add_option("--max-cycles", options.max_cycles,
                   "stop before this cycle with exit status 124; 0: never")
        ->capture_default_str();
    app.add_option("--data-access-extra", options.timing.data_access_extra,
                   "extra cycles of each access to SRAM")
        ->check(CLI::Range(0u, 100u))
        ->capture_default_str();
    app.add_option("--load-use-stall", options.timing.load_use_stall,
                   "cycles lost when the next instruction uses a load")
        ->check(CLI::Range(0u, 100u))
        ->capture_default_str();
    app.add_flag("--trace", options.trace,
                 "a line for each instruction on stderr: cycle, pc, word, text (after a | in a delay slot), "
                 "changed registers");
    auto* map = app.add_option("--map", options.map, "linker map, for --profile");
    app.add_flag("--profile", options.profile, "cycles and instructions of each function, on stderr")
        ->needs(map);
    app.add_flag("--json", options.json, "counts (and profile) as one JSON object, the last line on stdout");
    app.add_flag("--bench", options.bench, "instructions executed per second of processor time, on stderr");
    try {
        app.parse(argc, argv);
        if (options.sram % 4 != 0)
            throw CLI::ValidationError("--sram", fmt::format("{}: must be a multiple of 4", options.sram));
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    try {
        int status = run(options);
        if (fflush(stdout) != 0) {
            fmt::print(stderr, "lanai-run: cannot write to stdout\n");
            return 1;
        }
        return status;
    } catch (const UsageError& e) {
        fmt::print(stderr, "lanai-run: {}\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        fmt::print(stderr, "lanai-run: {}\n", e.what());
        return 1;
    }
}
