// SPDX-License-Identifier: BSD-3-Clause
//
// mx_peers: installs the peer table, or shows it. Until a mapper exists this is how cards learn of each
// other.
#include <cerrno>
#include <cstring>
#include <fstream>

#include <myri.h>

#include "tools/advice.h"
#include "tools/boards.h"
#include "tools/failure.h"
#include "tools/peer_table.h"
#include "tools/run_tool.h"

namespace {

using namespace myri::tools;

struct Options {
    OutputOptions output;
    uint32_t board = MX_ANY_NIC;
    std::string file;
    bool show = false;
};

void describe(CLI::App& app, Options& options) {
    auto* file = app.add_option("FILE", options.file,
                                "Peer table to install: lines MAC HOSTNAME:BOARD ROUTE, sections [MAC]");
    auto* show =
        app.add_flag("--show", options.show, "Print the installed table in the same form")->excludes(file);
    app.callback([file, show] {
        if (!file->count() && !show->count())
            throw CLI::RequiredError("FILE or --show");
    });
    add_number(app, "-b,--board", options.board, "Only this board [all]", 0, MYRI_BOARDS_MAX - 1);
    add_output_options(app, options.output, false);
}

struct Table {
    myri_board_info board;
    std::vector<myri_peer> peers;
};

Record to_record(const Table& table) {
    Record peers = Record::array();
    for (const myri_peer& peer : table.peers)
        peers.push_back({{"mac", mac_text(peer.mac)}, {"name", peer.name}, {"route", route_text(peer)}});
    return {{"board", table.board.board}, {"mac", mac_text(table.board.mac)}, {"peers", peers}};
}

Table read_table(Report& report, const std::string& path, const myri_board_info& board) {
    std::ifstream file(path);
    if (!file)
        throw Failure(fmt::format("{}: {}", path, std::strerror(errno)));
    Table table{board, read_peers(file, path, board.mac)};
    for (const myri_peer& peer : table.peers) {
        if (peer.mac != board.mac)
            continue;
        if (const std::string own = fmt::format("{}:{}", board.hostname, board.board); own != peer.name)
            report.remark("{}: board {} is called {} there, but this machine's name makes it {}", path, board.board,
                          peer.name, own);
        return table;
    }
    throw Failure(
        fmt::format("{}: of its lines {} are for board {}, but none of them is the board itself, {}, which "
                    "needs a route to itself",
                    path, table.peers.size(), board.board, mac_text(board.mac)));
}

// The driver takes the table with its last part, as a whole.
void install(const Table& table) {
    myri_peers part{};
    part.total = static_cast<uint32_t>(table.peers.size());
    for (part.first = 0; part.first < part.total; part.first += part.count) {
        part.count = std::min(MYRI_PEERS_AT_ONCE, part.total - part.first);
        std::copy_n(table.peers.begin() + part.first, part.count, part.peer);
        const int answer = myri_driver_request(table.board.board, MYRI_SET_PEERS, &part, sizeof part);
        if (answer == -EPERM)
            throw Failure(
                fmt::format("cannot install the peers of board {}: only root may, or who started the "
                            "emulated fabric",
                            table.board.board));
        check_driver(answer, fmt::format("install the peers of board {}", table.board.board));
    }
}

void run(Report& report, const Options& options) {
    Library library;
    const uint32_t first = options.board == MX_ANY_NIC ? 0 : options.board;
    const uint32_t end = options.board == MX_ANY_NIC ? board_count() : options.board + 1;
    std::vector<Table> tables; // all are read before one is installed
    for (uint32_t board = first; board < end; board++) {
        const myri_board_info info = board_info(board);
        tables.push_back(options.show ? Table{info, peers_of(board)} : read_table(report, options.file, info));
    }
    for (const Table& table : tables) {
        if (options.show) {
            report.line("{}", section_line(table.board.mac));
            for (const myri_peer& peer : table.peers)
                report.line("{}", peer_line(peer));
        } else {
            install(table);
            report.line("board {}, {}: {} peers", table.board.board, mac_text(table.board.mac),
                        table.peers.size());
        }
        report.record(to_record(table));
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Installs the table of peers and routes of the Myrinet boards, or shows it.", "mx_peers");
    Options options;
    describe(app, options);
    if (auto code = parse_options(app, argc, argv))
        return *code;
    Report report("mx_peers", options.output.format(), options.output.verbose);
    return run_tool("mx_peers", report, [&] { run(report, options); });
}
