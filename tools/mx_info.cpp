// SPDX-License-Identifier: BSD-3-Clause
//
// mx_info: the boards, their state and the hosts they know; also the environment variables that libmyri reads.
#include <cstdlib>

#include <myri.h>

#include "tools/board_text.h"
#include "tools/boards.h"
#include "tools/failure.h"
#include "tools/run_tool.h"

namespace {

using namespace myri::tools;

struct Options {
    OutputOptions output;
    uint32_t board = MX_ANY_NIC;
    bool quiet = false;
    std::string filter;
    CLI::Option* environment = nullptr;
};

void describe(CLI::App& app, Options& options) {
    add_number(app, "-b,--board", options.board, "Only this board [all]", 0, MYRI_BOARDS_MAX - 1);
    app.add_flag("-q,--quiet", options.quiet, "Without the table of hosts");
    options.environment =
        app.add_option("-e,--environment", options.filter, "List the environment variables whose name has FILTER in it")
            ->type_name("FILTER")
            ->expected(0, 1);
    add_output_options(app, options.output, false);
}

Record to_record(const myri_board_info& info, const std::vector<myri_peer>& peers) {
    Record table = Record::array();
    for (const myri_peer& peer : peers) {
        std::string route;
        for (uint32_t i = 0; i < peer.route_length && i < sizeof peer.route; i++)
            route += fmt::format("{}{:02x}", i ? " " : "", peer.route[i]);
        table.push_back({{"mac", mac_text(peer.mac)}, {"name", peer.name}, {"route", route}});
    }
    return {{"board", info.board},
            {"status", status_text(info)},
            {"dead", info.dead},
            {"link_up", info.link_up != 0},
            {"mac", mac_text(info.mac)},
            {"host", info.hostname},
            {"product_code", info.product_code},
            {"part_number", info.part_number},
            {"serial_number", info.serial},
            {"ports", info.ports},
            {"lanai_mhz", info.lanai_khz / 1e3},
            {"pci_mhz", info.pci_khz / 1e3},
            {"pci_bits", info.pci_bits},
            {"sram_bytes", info.sram_bytes},
            {"pci_revision", info.pci_revision},
            {"numa_node", info.numa_node},
            {"endpoints", info.endpoints},
            {"endpoints_open", info.endpoints_open},
            {"firmware", info.firmware},
            {"peers", table}};
}

void print_lines(Report& report, const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
        report.line("{}", line);
}

// The number of dead boards, each named on stderr.
unsigned print_boards(Report& report, const Options& options) {
    Library library;
    unsigned dead = 0;
    uint32_t count = board_count();
    uint32_t first = options.board == MX_ANY_NIC ? 0 : options.board;
    uint32_t end = options.board == MX_ANY_NIC ? count : options.board + 1;
    for (uint32_t board = first; board < end; board++) {
        myri_board_info info = board_info(board);
        if (board == first)
            print_lines(report, head_lines(count, info.firmware, info.endpoints));
        print_lines(report, board_lines(info));
        report.remark("board {}: {} of {} endpoints open, {}-bit bus, revision {}", board, info.endpoints_open,
                      info.endpoints, info.pci_bits, info.pci_revision);
        std::vector<myri_peer> peers = options.quiet ? std::vector<myri_peer>() : peers_of(board);
        if (!options.quiet)
            print_lines(report, peer_lines(peers, info.mac));
        report.record(to_record(info, peers));
        if (info.dead) {
            dead++;
            fmt::print(stderr, "mx_info: board {} is dead: {}; see dmesg\n", board, death_text(info));
        }
    }
    return dead;
}

// Needs no board.
void print_environment(Report& report, const std::string& filter) {
    myri_variable variable;
    for (unsigned index = 0; myri_environment(index, &variable) == 0; index++) {
        if (std::string_view(variable.name).find(filter) == std::string_view::npos)
            continue;
        const char* set = std::getenv(variable.name);
        report.line("# {}: {}", variable.name, variable.type);
        report.line("# {}", variable.help);
        report.line("{}{}={}", set ? "" : "# ", variable.name, set ? set : variable.default_value);
        report.line("");
        report.record({{"name", variable.name},
                       {"type", variable.type},
                       {"help", variable.help},
                       {"default", variable.default_value},
                       {"value", set ? Record(set) : Record(nullptr)}});
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Prints the Myrinet boards of this host, their state and the hosts they know.", "mx_info");
    Options options;
    describe(app, options);
    if (auto code = parse_options(app, argc, argv))
        return *code;
    Report report("mx_info", options.output.format(), options.output.verbose);
    unsigned dead = 0;
    const int code = run_tool("mx_info", report, [&] {
        if (options.environment->count())
            print_environment(report, options.filter);
        else
            dead = print_boards(report, options);
    });
    return code == EXIT_OK && dead ? EXIT_FAILED : code;
}
