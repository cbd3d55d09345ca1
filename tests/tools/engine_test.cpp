// SPDX-License-Identifier: BSD-3-Clause
//
// Both benchmark loops with both ends as threads, over a stand-in for the library.
#include <doctest/doctest.h>

#include <csignal>
#include <functional>
#include <thread>

#include "tests/tools/fake_mx.h"
#include "tools/failure.h"
#include "tools/interrupt.h"
#include "tools/pingpong.h"
#include "tools/stream.h"

using namespace myri::tools;

namespace {

// Runs a server on endpoint 1 while `client` runs; answers what the server failed with.
template <typename Serve> std::string beside(Serve serve, const std::function<void()>& client, bool block = false) {
    std::string failure;
    Report report("test", Format::TEXT, false);
    std::thread server([&] {
        try {
            Session session({.endpoint = 1, .block = block});
            serve(session, report);
        } catch (const std::exception& error) {
            failure = error.what();
        }
    });
    try {
        client();
    } catch (const std::exception& error) { // said at once: the server may never end
        MESSAGE("the client failed: " << error.what());
        server.join();
        throw;
    }
    server.join();
    return failure;
}

void pong(Session& session, Report& report) { serve_pingpong(session, {}, report); }
void sink(Session& session, Report& report) { serve_stream(session, {}, report); }

PeerOptions sender_options(bool block = false) { return {.endpoint = 2, .destination = "n0", .block = block}; }

} // namespace

TEST_CASE("ping-pong of several lengths, verified, polling and blocking, with both kinds of send") {
    for (int variant = 0; variant < 4; variant++) {
        bool block = variant & 1, synchronous = variant & 2;
        auto client = [&] {
            Session session(sender_options(block));
            PingpongSender sender(session, session.connect(), {});
            for (uint32_t length : {0u, 1u, 100u, 32769u}) {
                RoundTrips trips = sender.measure({.length = length,
                                                   .iterations = 20,
                                                   .warmup = 3,
                                                   .verify = true,
                                                   .synchronous = synchronous,
                                                   .seed = 5},
                                                  length == 100);
                CHECK_EQ(trips.done, 20u);
                CHECK_GT(trips.elapsed, 0u);
                CHECK_EQ(trips.each.size(), length == 100 ? 20u : 0u);
            }
            sender.finish();
        };
        CHECK_EQ(beside(pong, client, block), "");
    }
}

TEST_CASE("a damaged message fails the verification at the end that received it") {
    // Messages with data: order, answer, then 23 rounds of ping and pong.
    for (uint32_t n : {2u + 10u, 2u + 11u}) {
        std::string client_failure;
        fake_mx::damage_message(n);
        auto client = [&] {
            try {
                Session session(sender_options());
                PingpongSender sender(session, session.connect(), {});
                sender.measure({.length = 64, .iterations = 20, .warmup = 3, .verify = true, .seed = 5}, false);
                sender.finish();
            } catch (const Failure& error) {
                client_failure = error.what();
            }
        };
        std::string server_failure = beside(pong, client);
        bool at_server = n % 2 == 0; // a ping
        CHECK((at_server ? server_failure : client_failure).find("message ") != std::string::npos);
        CHECK((at_server ? server_failure : client_failure).find("of 64 bytes differs at offset 21") != std::string::npos);
        CHECK((at_server ? client_failure : server_failure).find("verification") == std::string::npos);
        CHECK((at_server ? client_failure : server_failure) != "");
    }
}

TEST_CASE("without verification a damaged message passes") {
    fake_mx::damage_message(2 + 10);
    auto client = [&] {
        Session session(sender_options());
        PingpongSender sender(session, session.connect(), {});
        sender.measure({.length = 64, .iterations = 20, .warmup = 3, .seed = 5}, false);
        sender.finish();
    };
    CHECK_EQ(beside(pong, client), "");
}

TEST_CASE("stream one way and both ways, fewer and more messages than are under way at once") {
    for (int variant = 0; variant < 16; variant++) {
        bool block = variant & 1, both = variant & 2, large = variant & 4, many = variant & 8;
        uint32_t length = large ? 40000 : 16, count = many ? 100 : 5;
        auto client = [&] {
            Session session(sender_options(block));
            StreamSender sender(session, session.connect(), {});
            StreamResult result = sender.measure(
                {.length = length, .iterations = count, .verify = true, .both_ways = both, .seed = 9});
            sender.finish();
            CHECK_EQ(result.sent.messages, count);
            CHECK_EQ(result.sent.bytes, uint64_t{count} * length);
            CHECK_GT(result.sent.elapsed, 0u);
            CHECK_EQ(result.received.messages, both ? count : 0u);
        };
        CHECK_EQ(beside(sink, client, block), "");
    }
}

TEST_CASE("a damaged message in a stream is found in each direction") {
    for (uint32_t n : {2u + 4u, 2u + 5u}) {
        std::string client_failure;
        fake_mx::damage_message(n);
        auto client = [&] {
            try {
                Session session(sender_options());
                StreamSender sender(session, session.connect(), {});
                sender.measure({.length = 64, .iterations = 10, .verify = true, .both_ways = true, .seed = 9});
            } catch (const Failure& error) {
                client_failure = error.what();
            }
        };
        std::string server_failure = beside(sink, client);
        CHECK((client_failure + server_failure).find("of 64 bytes differs at offset 21") != std::string::npos);
    }
}

TEST_CASE("the programs refuse each other") {
    std::string client_failure;
    auto client = [&] {
        try {
            Session session(sender_options());
            StreamSender sender(session, session.connect(), {});
            sender.measure({.length = 64, .iterations = 10});
        } catch (const Failure& error) {
            client_failure = error.what();
        }
    };
    std::string server_failure = beside(pong, client);
    CHECK(client_failure.find("refuses: the other end runs mx_pingpong, not mx_stream") != std::string::npos);
    CHECK(server_failure.find("another program") != std::string::npos);
}

TEST_CASE("two senders at one receiver are served one after the other, without mixing") {
    auto two = [](Session& session, Report& report) {
        serve_pingpong(session, {}, report);
        serve_pingpong(session, {}, report);
    };
    auto run = [](uint32_t endpoint) {
        PeerOptions options = sender_options();
        options.endpoint = endpoint;
        Session session(options);
        PingpongSender sender(session, session.connect(), {});
        for (uint32_t length = 0; length < 20; length++)
            CHECK_EQ(sender.measure({.length = length, .iterations = 20, .verify = true, .seed = sender.seed()}, false).done,
                     20u);
        sender.finish();
    };
    auto client = [&] {
        std::thread other(run, 3);
        run(2);
        other.join();
    };
    CHECK_EQ(beside(two, client), "");
}

TEST_CASE("a receiver that is not there is tried for 10 s, an unknown host and a wrong key not at all") {
    Session session(sender_options());
    uint64_t start = session.now();
    CHECK_THROWS_WITH_AS(session.connect(), doctest::Contains("nobody has opened it within 10 s"), Failure);
    double seconds = static_cast<double>(session.now() - start) / PICOSECONDS_PER_SECOND;
    CHECK_GE(seconds, 10);
    CHECK_LT(seconds, 15);
    PeerOptions unknown{.endpoint = 3, .destination = "nowhere"};
    CHECK_THROWS_WITH_AS(Session(unknown).connect(), doctest::Contains("host nowhere"), Failure);
    Session other({.endpoint = 1, .filter = 5});
    CHECK_THROWS_WITH_AS(session.connect(), doctest::Contains("same filter"), Failure);
}

TEST_CASE("a receiver that starts later is found") {
    std::thread late([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        Session session({.endpoint = 1});
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
    });
    Session session(sender_options());
    CHECK_NOTHROW(session.connect());
    late.join();
}

TEST_CASE("a peer that dies in silence is noticed") {
    std::string client_failure;
    Session server({.endpoint = 1});
    std::thread client([&] {
        try {
            Session session(sender_options());
            PingpongSender sender(session, session.connect(), {});
            sender.measure({.length = 64, .iterations = 10}, false); // nobody answers
        } catch (const Failure& error) {
            client_failure = error.what();
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    fake_mx::kill_endpoint(1);
    client.join();
    CHECK(client_failure.find("n0:0 has gone") != std::string::npos);
}

// Last, because the flag cannot be taken back.
TEST_CASE("SIGINT ends a stream in order, with figures of what was sent") {
    catch_interrupt();
    auto stream = [&] {
        Session session(sender_options());
        StreamSender sender(session, session.connect(), {});
        std::thread trigger([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            std::raise(SIGINT);
        });
        StreamResult result = sender.measure({.length = 64, .iterations = 0xffffffff, .verify = true, .seed = 9});
        trigger.join();
        session.heed_interrupt(false);
        sender.finish();
        CHECK_GT(result.sent.messages, 16u);
        CHECK_EQ(result.sent.bytes, result.sent.messages * 64);
    };
    auto calm_sink = [](Session& session, Report& report) { // in one process the flag is the server's too
        session.heed_interrupt(false);
        serve_stream(session, {}, report);
    };
    CHECK_EQ(beside(calm_sink, stream), "");
    CHECK(interrupted());
}
