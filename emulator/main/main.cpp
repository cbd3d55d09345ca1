// SPDX-License-Identifier: BSD-3-Clause
//
// myri-fabric: runs an emulated Myrinet fabric, and commands on its hosts.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "board/board.h"
#include "emulator/main/inject_command.h"
#include "emulator/main/run.h"
#include "emulator/main/start.h"

namespace {

using namespace myri::emulator;

constexpr int BAD_COMMAND_LINE = 2, BAD_INPUT = 1;

// `seed`, if given, tells afterwards whether it was on the command line.
CLI::Option* add_fabric_options(CLI::App& app, FabricOptions& o, unsigned least_hosts) {
    app.add_option("--hosts", o.hosts, "number of hosts, n0, n1, ...")
        ->capture_default_str()
        ->check(CLI::Range(least_hosts, HOSTS_MAX));
    app.add_option("--card", o.card, "card profile")->capture_default_str();
    app.add_option("--host-profile", o.host_profile, "host profile")->capture_default_str();
    app.add_option("--firmware", o.firmware, "firmware image for all cards")->type_name("FILE");
    app.add_option("--idle-skipping", o.idle_skipping, "skip idle passes of firmware (same results, faster)")
        ->type_name("on|off")
        ->default_str("on");
    app.add_option("--watchdog", o.watchdog_ms, "milliseconds without heartbeat after which a card is started anew")
        ->type_name("MS")
        ->capture_default_str()
        ->check(CLI::Range(BOARD_WATCH_LIMIT_MIN_MS, WATCHDOG_MAX_MS));
    static constexpr struct {
        myri_fault kind;
        const char *name, *text;
        bool random;
    } FAULTS[] = {
#define ROW(id, name, scope, where, text)                                                                              \
    {MYRI_FAULT_##id, name, text, (where) & MYRI_FAULT_IN_EMULATOR && MYRI_FAULT_SCOPE_##scope <= MYRI_FAULT_SCOPE_PCI},
        MYRI_FAULTS(ROW)
#undef ROW
    };
    for (const auto& fault : FAULTS)
        if (fault.random)
            app.add_option(std::string("--") + fault.name, o.faults[fault.kind],
                           std::string("probability for each packet: ") + fault.text)
                ->type_name("P")
                ->check(CLI::Range(0.0, 1.0));
    return app.add_option("--seed", o.seed, "for everything that is random")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
}

int parse_and_go(int argc, char** argv) {
    CLI::App app("Runs an emulated Myrinet-2000 fabric: hosts, cards, links and switches in software.", "myri-fabric");
    app.require_subcommand(1);

    RunOptions run_options;
    CLI::App& run_app = *app.add_subcommand("run", "run commands on the hosts of a fabric made for them");
    add_fabric_options(run_app, run_options.fabric, 1);
    run_app.add_option("--on", run_options.on, "run COMMAND (by sh -c) on HOST, or on all; may be repeated")
        ->type_name("HOST COMMAND")
        ->required()
        ->allow_extra_args(false)
        ->take_all();
    run_app.add_flag("--free", run_options.free, "do not keep virtual time: threads, as fast as it goes");
    run_app.add_flag("--shuffle-stores", run_options.fabric.shuffle_stores,
                     "deliver stores between two barriers in random order");
    run_app.add_flag("--stats", run_options.statistics, "faults and counters on stderr at the end");
    run_app.add_option("--max-time", run_options.longest_s, "longest wall time in seconds")
        ->capture_default_str()
        ->check(CLI::Range(0.1, 1e6));
    run_app.add_option("--report-after", run_options.report_after_s,
                       "seconds of wall time after which a process that lets others wait is named")
        ->capture_default_str()
        ->check(CLI::Range(0.1, 1e6));

    std::vector<std::string> at;
    run_app.add_option("--at", at, "make a fault happen at a time of the run (as 250us, 3.5ms, 2s): " + faults_with_values() +
                                       "; may be repeated")
        ->type_name("TIME:HOST:FAULT[:VALUE]")
        ->allow_extra_args(false)
        ->take_all();

    StartOptions start_options;
    CLI::App& start_app = *app.add_subcommand("start", "start a free-running fabric in the background");
    const CLI::Option* seed = add_fabric_options(start_app, start_options.fabric, 0);
    start_app.add_option("--socket", start_options.socket, "where programs find it (MYRI_FABRIC)")->type_name("PATH");
    start_app
        .add_option("--qemu", start_options.qemu,
                    "one more host: a virtual machine whose QEMU finds its card at this socket (vfio-user-pci); may be "
                    "repeated")
        ->type_name("SOCKET")
        ->allow_extra_args(false)
        ->take_all();
    start_app.add_option("--peers", start_options.peers, "write the peer table for mx_peers in guests")
        ->type_name("FILE");
    start_app.add_flag("--foreground", start_options.foreground, "stay in the foreground");

    std::string stop_socket;
    CLI::App& stop_app = *app.add_subcommand("stop", "stop a fabric that `start` has started");
    stop_app.add_option("--socket", stop_socket, "its socket, if not $MYRI_FABRIC or the usual one")->type_name("PATH");

    std::string inject_socket, inject_host, fault_name;
    std::optional<std::string> fault_value;
    CLI::App& inject_app = *app.add_subcommand("inject", "make a fault happen in a fabric that `start` has started");
    inject_app.add_option("HOST", inject_host, "the host whose card or cable it is")->required();
    inject_app.add_option("FAULT", fault_name, faults_with_values())->required();
    inject_app.add_option("VALUE", fault_value, "see FAULT");
    inject_app.add_option("--socket", inject_socket, "the fabric's socket, if not $MYRI_FABRIC or the usual one")
        ->type_name("PATH");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : BAD_COMMAND_LINE;
    }
    if (stop_app.parsed())
        return stop(stop_socket);
    if (inject_app.parsed())
        return inject(inject_socket, inject_host, parse_fault(fault_name, fault_value));
    for (const std::string& text : at)
        run_options.at.push_back(parse_timed_fault(text));
    const FabricOptions& fabric = start_app.parsed() ? start_options.fabric : run_options.fabric;
    fmt::print(stderr, "myri-fabric: seed {}\n", fabric.seed);
    start_options.seeded = seed->count() > 0;
    return start_app.parsed() ? start(start_options) : run(run_options);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return parse_and_go(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "myri-fabric: {}\n", error.what());
        return BAD_INPUT;
    }
}
