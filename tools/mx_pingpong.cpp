// SPDX-License-Identifier: BSD-3-Clause
//
// mx_pingpong: latency and rate by message length. Options and text output are those of Myricom's program.
#include "tools/interrupt.h"
#include "tools/length_sequence.h"
#include "tools/pingpong.h"
#include "tools/receiver.h"
#include "tools/run_tool.h"

namespace {

using namespace myri::tools;

struct Options {
    PeerOptions peer;
    OutputOptions output;
    TestingOptions testing;
    LengthRule rule;
    std::string length_file;
    uint32_t iterations = 1000;
    uint32_t warmup = 10;
    bool verify = false;
    bool synchronous = false;
    bool stay = false;
};

void describe(CLI::App& app, Options& options) {
    add_peer_options(app, options.peer);
    app.add_flag("-s,--slave", options.stay, "As receiver: serve one sender after another");
    add_number(app, "-S,--start", options.rule.start, "First length in bytes [0]", 0, LENGTH_MAX);
    add_number(app, "-E,--end", options.rule.end, "End of the lengths, exclusive [128]", 0, LENGTH_MAX + 1);
    add_number(app, "-I,--increment", options.rule.increment, "Added to each length for the next one [1]", 0, LENGTH_MAX);
    app.add_option("-M,--multiplier", options.rule.multiplier,
                   "Or: multiplied with; a step that does not grow adds 1")
        ->type_name("X")
        ->check(CLI::Range(0.001, 1e9));
    app.add_option("-L,--lengths", options.length_file, "Or: file of lengths")->type_name("FILE");
    add_number(app, "-N,--iterations", options.iterations, "Measured round trips for each length [1000]", 1, 0xffffffff);
    add_number(app, "-W,--warmup", options.warmup, "Round trips before these [10]", 0, 0xffffffff);
    app.add_flag("-V,--verify", options.verify, "Verify the data at both ends");
    app.add_flag("-R,--synchronous", options.synchronous, "Use mx_issend");
    add_output_options(app, options.output, true);
    add_testing_options(app, options.testing);
}

Record to_record(const RoundTrips& trips) {
    return {{"length", trips.length},
            {"iterations", trips.done},
            {"latency_us", trips.latency_us()},
            {"rate_mb_s", trips.rate_mb_s()},
            {"rate_mib_s", trips.rate_mb_s() * 1e6 / (1 << 20)},
            {"latency_min_us", trips.quantile_us(0)},
            {"latency_p50_us", trips.quantile_us(0.5)},
            {"latency_p99_us", trips.quantile_us(0.99)},
            {"latency_max_us", trips.quantile_us(1)}};
}

void receive(const Options& options, Report& report) {
    run_receiver("mx_pingpong", options.peer, options.stay, report,
                 [&](Session& session) { serve_pingpong(session, options.testing, report); });
}

void send(const Options& options, Report& report) {
    std::vector<uint32_t> lengths =
        options.length_file.empty() ? lengths_of(options.rule) : lengths_in_file(options.length_file);
    Session session(options.peer);
    PingpongSender sender(session, session.connect(), options.testing);
    report.line("Running {} iterations.", options.iterations);
    report.line("   Length   Latency(us)    Bandwidth(MB/s)");
    report.property("iterations", options.iterations);
    for (uint32_t length : lengths) {
        Order order{.length = length,
                    .iterations = options.iterations,
                    .warmup = options.warmup,
                    .verify = options.verify,
                    .synchronous = options.synchronous,
                    .seed = sender.seed()};
        RoundTrips trips = sender.measure(order, report.format() != Format::TEXT || report.verbose());
        if (trips.done > 0) {
            report.line("{:9}   {:9.3f}       {:8.3f}", length, trips.latency_us(), trips.rate_mb_s());
            report.remark("{} bytes: {:.3f} MiB/s, latency min {:.3f}, median {:.3f}, 99 % {:.3f}, max {:.3f} us", length,
                          trips.rate_mb_s() * 1e6 / (1 << 20), trips.quantile_us(0), trips.quantile_us(0.5),
                          trips.quantile_us(0.99), trips.quantile_us(1));
            report.record(to_record(trips));
        }
        stop_if_interrupted();
    }
    sender.finish();
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures latency and rate between two hosts. Start it on one host without -d, on the other with\n"
                 "-d naming the first. Latency is half a round trip; rates are in 10^6 bytes per second.",
                 "mx_pingpong");
    Options options;
    describe(app, options);
    if (auto code = parse_options(app, argc, argv))
        return *code;
    Report report("mx_pingpong", options.output.format(), options.output.verbose);
    return run_tool("mx_pingpong", report,
                    [&] { options.peer.destination.empty() ? receive(options, report) : send(options, report); });
}
