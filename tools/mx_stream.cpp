// SPDX-License-Identifier: BSD-3-Clause
//
// mx_stream: sustained rate in one direction or in both. Options are those of Myricom's program.
#include "tools/interrupt.h"
#include "tools/length_sequence.h"
#include "tools/receiver.h"
#include "tools/run_tool.h"
#include "tools/stream.h"

namespace {

using namespace myri::tools;

struct Options {
    PeerOptions peer;
    OutputOptions output;
    TestingOptions testing;
    uint32_t length = 8192;
    uint32_t iterations = 1000;
    bool verify = false;
    bool both_ways = false;
    bool stay = false;
};

void describe(CLI::App& app, Options& options) {
    add_peer_options(app, options.peer);
    app.add_flag("-s,--slave", options.stay, "As receiver: serve one sender after another");
    add_number(app, "-l,--length", options.length, "Length of each message in bytes [8192]", 0, LENGTH_MAX);
    add_number(app, "-N,--iterations", options.iterations, "Messages in each direction [1000]", 1, 0xffffffff);
    app.add_flag("-V,--verify", options.verify, "Verify the data where it is received");
    app.add_flag("-x,--both-ways", options.both_ways, "Send in both directions at once");
    add_output_options(app, options.output, true);
    add_testing_options(app, options.testing);
}

Figures sum(const StreamResult& result, bool both_ways) {
    if (!both_ways)
        return result.sent;
    // Each direction has its own clock; the slower one's time covers both.
    return {result.sent.messages + result.received.messages, result.sent.bytes + result.received.bytes,
            std::max(result.sent.elapsed, result.received.elapsed)};
}

void print(Report& report, const char* label, const char* direction, uint32_t length, const Figures& figures) {
    report.line("{} {:8} {:5.3f} {:5.3f}", label, length, figures.rate_mb_s(), figures.messages_per_s());
    report.remark("{} {:.3f} MiB/s", label, figures.rate_mb_s() * 1e6 / (1 << 20));
    report.record({{"direction", direction},
                   {"length", length},
                   {"messages", figures.messages},
                   {"elapsed_us", static_cast<double>(figures.elapsed) / 1e6},
                   {"rate_mb_s", figures.rate_mb_s()},
                   {"rate_mib_s", figures.rate_mb_s() * 1e6 / (1 << 20)},
                   {"packets_s", figures.messages_per_s()}});
}

void receive(const Options& options, Report& report) {
    run_receiver("mx_stream", options.peer, options.stay, report,
                 [&](Session& session) { serve_stream(session, options.testing, report); });
}

void send(const Options& options, Report& report) {
    Session session(options.peer);
    StreamSender sender(session, session.connect(), options.testing);
    Order order{.length = options.length,
                .iterations = options.iterations,
                .verify = options.verify,
                .both_ways = options.both_ways,
                .seed = sender.seed()};
    StreamResult result = sender.measure(order);
    if (options.both_ways) {
        print(report, "Send: ", "send", options.length, result.sent);
        print(report, "Recv: ", "receive", options.length, result.received);
    }
    print(report, "Total:", "total", options.length, sum(result, options.both_ways));
    stop_if_interrupted();
    sender.finish();
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures the sustained rate between two hosts. Start it on one host without -d, on the other with\n"
                 "-d naming the first. Each direction is measured where it is received; rates are in 10^6 bytes per\n"
                 "second. Lines of output: length, MB/s, messages/s.",
                 "mx_stream");
    Options options;
    describe(app, options);
    if (auto code = parse_options(app, argc, argv))
        return *code;
    Report report("mx_stream", options.output.format(), options.output.verbose);
    return run_tool("mx_stream", report,
                    [&] { options.peer.destination.empty() ? receive(options, report) : send(options, report); });
}
