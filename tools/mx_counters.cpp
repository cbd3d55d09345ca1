// SPDX-License-Identifier: BSD-3-Clause
//
// mx_counters: what the firmware has counted.
#include "tools/boards.h"
#include "tools/counter_text.h"
#include "tools/run_tool.h"

namespace {

using namespace myri::tools;

struct Options {
    OutputOptions output;
    uint32_t board = 0;
    bool all = false;
    bool clear = false;
    bool quiet = false;
};

void describe(CLI::App& app, Options& options) {
    auto* all = app.add_flag("-a,--all", options.all, "All boards");
    add_board_option(app, options.board);
    app.get_option("--board")->excludes(all);
    app.add_flag("-c,--clear", options.clear, "Set the counters to 0 after printing them");
    app.add_flag("-q,--quiet", options.quiet, "Only those that are not 0");
    add_output_options(app, options.output, false);
}

void print_board(Report& report, const Options& options, uint32_t board) {
    if (report.verbose()) {
        myri_board_info info = board_info(board);
        report.remark("board {} is {}:{}, {}", board, info.hostname, board, mac_text(info.mac));
    }
    std::vector<uint32_t> values = counters_of(board, options.clear);
    Record counters = Record::object();
    for (size_t i = 0; i < values.size(); i++) {
        if (options.quiet && values[i] == 0)
            continue;
        report.line("{}", counter_line(counter_label(i), values[i]));
        counters[counter_label(i)] = values[i];
    }
    report.record({{"board", board}, {"counters", counters}});
}

void run(Report& report, const Options& options) {
    Library library;
    uint32_t first = options.all ? 0 : options.board;
    uint32_t end = options.all ? board_count() : options.board + 1;
    for (uint32_t board = first; board < end; board++) {
        if (options.all)
            report.line("Board {}", board); // without a colon: no counter
        print_board(report, options, board);
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Prints the counters of a board's firmware: label, decimal and hexadecimal value.", "mx_counters");
    Options options;
    describe(app, options);
    if (auto code = parse_options(app, argc, argv))
        return *code;
    Report report("mx_counters", options.output.format(), options.output.verbose);
    return run_tool("mx_counters", report, [&] { run(report, options); });
}
