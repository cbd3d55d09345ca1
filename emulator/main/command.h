// SPDX-License-Identifier: BSD-3-Clause
//
// A command of a run: a shell that is our child, with its environment, its output and its end.
//
// It leads a session of its own, so that whatever it starts can be told from other commands' programs and can be
// stopped with it. Its environment has a fixed size and it runs without address randomisation where the system
// allows, so that two runs are alike.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "emulator/driver/event_loop.h"

namespace myri::emulator {

class Command {
public:
    struct Start {
        std::string text;                // for sh -c
        std::string host;                // MYRI_HOST
        std::string fabric;              // MYRI_FABRIC
        std::string verdicts;            // MYRI_TRACE_VERDICTS, if not empty
        bool repeatable = true;          // else: own stdin, stdout, stderr, environment and randomised addresses
        std::function<void()> full;      // called by the event loop: take some output, then resume()
    };
    // Throws std::system_error if it cannot be started.
    Command(EventLoop& loop, Start start);
    // Whoever is left of its session is killed.
    ~Command();
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    pid_t pid() const { return pid_; }
    const std::string& text() const { return start_.text; }
    bool ended() const { return status_.has_value(); }
    // Exit status, 128 + n for signal n. Only when it has ended.
    int status() const { return *status_; }
    void signal(int number);

    // Output that the event loop has read, stdout [0] and stderr [1], in whole lines; with `rest` an unfinished one
    // too. The loop reads pipes first: all that was written before the event that is being handled is there.
    std::array<std::string, 2> take_output(bool rest);
    // Reads on where it stopped because nobody took the output.
    void resume();

private:
    struct Stream {
        FileDescriptor pipe;
        std::string text;
        bool paused = false;
    };
    [[noreturn]] void become_shell(const std::array<FileDescriptor, 2>& ends, int report);
    void drain(Stream& stream, size_t most);
    void read_on(Stream& stream);
    void reap();

    EventLoop& loop_;
    const Start start_;
    pid_t pid_ = -1;
    FileDescriptor pidfd_;
    std::array<Stream, 2> streams_;
    std::optional<int> status_;
};

// 0 if there is no such process.
pid_t parent_of(pid_t pid);
// We and our children to come run on one processor: where one at a time acts, waking it there is cheapest.
void stay_on_this_processor();
// Undoes that for the calling process, but leaves the processor we stay on to ourselves: free running, the fabric and
// programs that poll would otherwise take each other's turns.
void use_other_processors();
// Makes orphans of our children ours, so that stop_descendants() finds them.
void adopt_orphans();
// Kills and reaps every process that descends from us.
void stop_descendants();

} // namespace myri::emulator
