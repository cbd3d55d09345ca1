// SPDX-License-Identifier: BSD-3-Clause
//
// mx_dmabench: rate of the card's DMA to and from host memory, timed by the card.
#include <myri.h>

#include "abi/firmware.h"
#include "tools/advice.h"
#include "tools/boards.h"
#include "tools/failure.h"
#include "tools/interrupt.h"
#include "tools/length_sequence.h"
#include "tools/run_tool.h"

namespace {

using namespace myri::tools;

struct Options {
    OutputOptions output;
    uint32_t board = 0;
    LengthRule rule{.start = 64, .end = FW_DMABENCH_MAX, .multiplier = 2};
    uint32_t transfers = 100;
};

void describe(CLI::App& app, Options& options) {
    add_board_option(app, options.board);
    add_number(app, "-S,--start", options.rule.start, "First length in bytes [64]", 1, FW_DMABENCH_MAX);
    add_number(app, "-E,--end", options.rule.end, "Last length, inclusive [65536]", 1, FW_DMABENCH_MAX);
    app.add_option("-M,--multiplier", options.rule.multiplier, "From one length to the next [2]")
        ->type_name("X")
        ->check(CLI::Range(0.001, 1e9));
    add_number(app, "-N,--transfers", options.transfers, "Transfers for each length [100]", 1, 65535);
    add_output_options(app, options.output, false);
}

// 10^6 bytes per second. FW_DMABENCH_BOTH moves `transfers` blocks in each direction at once.
double rate(const Options& options, uint32_t direction, uint32_t bytes) {
    myri_dmabench bench{};
    bench.board = options.board;
    bench.direction = direction;
    bench.bytes = bytes;
    bench.count = options.transfers;
    check_driver(myri_driver_request(options.board, MYRI_DMABENCH, &bench, sizeof bench),
                 fmt::format("run the DMA benchmark on board {}", options.board));
    if (bench.cycles == 0 || bench.core_khz == 0)
        throw Failure(fmt::format("board {} measured no time for {} transfers of {} bytes", options.board,
                                  options.transfers, bytes));
    double moved = static_cast<double>(bytes) * options.transfers * (direction == FW_DMABENCH_BOTH ? 2 : 1);
    double seconds = static_cast<double>(bench.cycles) / (bench.core_khz * 1e3);
    return moved / seconds / 1e6;
}

void run(Report& report, const Options& options) {
    Library library;
    report.property("board", options.board);
    report.property("transfers", options.transfers);
    report.line("   Length   Read(MB/s)   Write(MB/s)   Read+write(MB/s)");
    LengthRule rule = options.rule;
    rule.end++;
    for (uint32_t bytes : lengths_of(rule)) {
        stop_if_interrupted();
        double read = rate(options, FW_DMABENCH_READ, bytes);
        double write = rate(options, FW_DMABENCH_WRITE, bytes);
        double both = rate(options, FW_DMABENCH_BOTH, bytes);
        report.line("{:9}   {:10.3f}   {:11.3f}   {:16.3f}", bytes, read, write, both);
        report.record({{"length", bytes}, {"read_mb_s", read}, {"write_mb_s", write}, {"both_mb_s", both}});
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures how fast the card reads and writes host memory, in 10^6 bytes per second.", "mx_dmabench");
    Options options;
    describe(app, options);
    if (auto code = parse_options(app, argc, argv))
        return *code;
    Report report("mx_dmabench", options.output.format(), options.output.verbose);
    return run_tool("mx_dmabench", report, [&] { run(report, options); });
}
