// SPDX-License-Identifier: BSD-3-Clause
//
// myri-fabric run as a person sees it: options, exit statuses, output, and that it leaves nothing behind.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/driver/fabric_command.h"

using namespace myri::driver_test;

TEST_CASE("run ends with the status of the command of the last --on") {
    CHECK_EQ(fabric({"run", "--on", "n0", "exit 5", "--on", "n1", "exit 3"}).status, 3);
    CHECK_EQ(fabric({"run", "--on", "n1", "exit 5", "--on", "n0", "true"}).status, 0);
    CHECK_EQ(fabric({"run", "--on", "n0", "kill -KILL $$"}).status, 128 + 9);
    CHECK_EQ(fabric({"run", "--on", "n0", "kill -TERM $$"}).status, 128 + 15);
    CHECK_EQ(fabric({"run", "--on", "all", "test $MYRI_HOST != n1"}).status, 1);
    CHECK(traces().empty());
}

TEST_CASE("a command on all runs on every host, and finds the programs' folder first") {
    const Result r = fabric({"run", "--hosts", "3", "--on", "all", "echo $MYRI_HOST; echo ${PATH%%:*}"});
    const std::string bin = built("bin") + "\n";
    CHECK_EQ(r.out, "n0\n" + bin + "n1\n" + bin + "n2\n" + bin);
}

TEST_CASE("bad input gets one clear line and exit 1") {
    const auto refused = [](std::vector<std::string> arguments, const std::string& text) {
        const Result r = fabric(arguments);
        CHECK_EQ(r.status, 1);
        CHECK_EQ(r.out, "");
        CHECK_MESSAGE(r.said(text), r.err);
        CHECK_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 2); // the seed, and why
    };
    refused({"run", "--card", "M3F-NONE", "--on", "n0", "true"}, "M3F-PCIXD-2");
    refused({"run", "--host-profile", "nohost", "--on", "n0", "true"}, "opteron-8131");
    refused({"run", "--on", "n2", "true"}, "n0 to n1");
    refused({"run", "--firmware", "/nonexistent", "--on", "n0", "true"}, "/nonexistent");
    refused({"run", "--firmware", "/dev", "--on", "n0", "true"}, "/dev");
    refused({"run", "--firmware", built("bin/myri-fabric"), "--on", "n0", "true"}, "firmware");
    refused({"run", "--firmware", built("share/myri/cards/M3F-PCIXD-2.json"), "--on", "n0", "true"}, "host n0: ");
    CHECK(traces().empty());
}

TEST_CASE("a malformed data file is named") {
    // MYRI_DATA names a folder whose card file is broken.
    char folder[] = "/tmp/driver-data-XXXXXX";
    REQUIRE(mkdtemp(folder));
    const std::string cards = std::string(folder) + "/cards";
    REQUIRE_EQ(run({"/bin/mkdir", cards}).status, 0);
    std::ofstream(cards + "/M3F-PCIXD-2.json") << "{\"lanai_khz\": ";
    const Result r = run({built("bin/myri-fabric"), "run", "--on", "n0", "true"}, {std::string("MYRI_DATA=") + folder});
    CHECK_EQ(r.status, 1);
    CHECK(r.said("M3F-PCIXD-2.json"));
    run({"/bin/rm", "-r", folder});
}

TEST_CASE("errors of the command line end with 2") {
    CHECK_EQ(fabric({}).status, 2);
    CHECK_EQ(fabric({"jump"}).status, 2);
    CHECK_EQ(fabric({"run"}).status, 2);
    CHECK_EQ(fabric({"run", "--on", "n0"}).status, 2);
    CHECK_EQ(fabric({"run", "--hosts", "0", "--on", "n0", "true"}).status, 2);
    CHECK_EQ(fabric({"run", "--hosts", "33", "--on", "n0", "true"}).status, 2);
    CHECK_EQ(fabric({"run", "--drop", "1.5", "--on", "n0", "true"}).status, 2);
    CHECK_EQ(fabric({"--help"}).status, 0);
}

// Seconds that no other test on this machine sleeps for.
std::string own_seconds(const char* seconds) { return std::string(seconds) + "." + std::to_string(getpid()); }

// How many processes have `argument` among their arguments.
int running(const std::string& argument) {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "cmdline", std::ios::binary);
        for (std::string word; std::getline(file, word, '\0');)
            found += word == argument;
    }
    return found;
}

TEST_CASE("a process that runs is found by its argument") {
    const std::string seconds = own_seconds("30");
    CHECK_EQ(running(seconds), 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        execlp("sleep", "sleep", seconds.c_str(), nullptr);
        _exit(127);
    }
    int tries = 0;
    while (running(seconds) == 0 && ++tries < 1000)
        usleep(100);
    CHECK_EQ(running(seconds), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_EQ(running(seconds), 0);
}

TEST_CASE("the longest wall time ends a run, and its commands") {
    const std::string seconds = own_seconds("4242");
    const Result r = fabric({"run", "--max-time", "0.5", "--on", "n0", "sleep " + seconds, "--on", "n1", "true"});
    CHECK_EQ(r.status, 1);
    CHECK(r.said("--max-time"));
    CHECK_EQ(running(seconds), 0);
    CHECK(traces().empty());
}

TEST_CASE("what commands leave running is stopped, even in a session of its own") {
    const std::string seconds = own_seconds("4343"), sleep = "sleep " + seconds;
    const Result r = fabric({"run", "--on", "n0", "setsid " + sleep + " & " + sleep + " & exit 7"});
    CHECK_EQ(r.status, 7);
    CHECK_EQ(running(seconds), 0);
}

TEST_CASE("whoever lets the others wait is named") {
    const Result r = fabric({"run", "--report-after", "0.2", "--on", "n0", "sleep 1", "--on", "n1", client("now")});
    CHECK_EQ(r.status, 0);
    CHECK_MESSAGE(r.said("n0: command `sleep 1`"), r.err);
    const Result inside = fabric({"run", "--report-after", "0.2", "--on", "n0", client("sleep 1000 now"), "--on", "n1",
                                  client("spend 1000 yield now")});
    CHECK_MESSAGE(inside.said("n0: client (pid "), inside.err);
    CHECK(inside.said("outside the library"));
}

TEST_CASE("output of several commands comes in the order of virtual time, whoever was faster") {
    const Result r = fabric({"run", "--on", "n0", client("sleep 300 spend 1000 say a1 yield spend 2000 say a3 yield"),
                             "--on", "n1", client("spend 2000 say b2 yield spend 3000 say b5 yield")});
    CHECK_EQ(r.out, "a1\nb2\na3\nb5\n");
}

TEST_CASE("lines are never mixed, and stderr stays stderr") {
    const Result r = fabric({"run", "--on", "n0", "printf one; sleep 0.2; echo two; echo error >&2", "--on", "n1",
                             "echo three; printf four"});
    CHECK_EQ(r.out, "onetwo\nthree\nfour");
    CHECK(r.said("error\n"));
}

TEST_CASE("a long output is passed on whole") {
    const Result r = fabric({"run", "--on", "n0", "seq 1 300000", "--on", "n1", "true"});
    CHECK_EQ(r.out.size(), 9u * 2 + 90 * 3 + 900 * 4 + 9000 * 5 + 90000 * 6 + 200001 * 7);
}

TEST_CASE("output without an end fills no memory and stops nobody") {
    // n1's turn to print at time 0 comes when n0 has ended; 200 MB are far more than may be held back.
    const Result r = fabric({"run", "--on", "n0", "sleep 1; grep VmHWM /proc/$PPID/status", "--on", "n1",
                             "yes 0123456789012345678901234567890123456789012345678 | head -c 200000000"});
    CHECK_EQ(r.status, 0);
    unsigned long kilobytes = 0;
    REQUIRE_EQ(std::sscanf(r.out.c_str(), "VmHWM: %lu", &kilobytes), 1);
    CHECK(kilobytes < 200'000);
    CHECK(r.out.size() > 200'000'000);
}

TEST_CASE("a command's environment is small and does not depend on the caller's") {
    const Result r = run({built("bin/myri-fabric"), "run", "--on", "n0", "env | cut -d= -f1 | sort | tr '\\n' ' '"},
                         {"SOMETHING=else", "MX_STATS=1", "MYRI_OPTION=2"});
    CHECK_EQ(r.out, "HOME LANG MX_STATS MYRI_FABRIC MYRI_HOST MYRI_OPTION PATH PWD ");
}

TEST_CASE("two runs with one seed print the same, another seed does not") {
    const auto once = [](const std::string& seed) {
        return fabric({"run", "--seed", seed, "--on", "n0", client("open 3 board post 3 1 3 hello wait 3 now"), "--on",
                       "n1", client("open 3 board wait 3 post 3 0 3 again now")});
    };
    const Result first = once("5"), second = once("5"), other = once("6");
    CHECK_EQ(first.status, 0);
    CHECK_EQ(first.out, second.out);
    CHECK_EQ(first.err, second.err);
    CHECK_NE(first.out, other.out);
    CHECK(first.out.find("mac 0060dd") != std::string::npos);
}
