// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/run.h"

#include <fmt/format.h>
#include <signal.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "emulator/driver/driver_service.h"
#include "emulator/main/command.h"
#include "emulator/main/free_run.h"
#include "emulator/main/machines.h"
#include "emulator/main/output_order.h"
#include "emulator/main/socket_place.h"
#include "emulator/main/stop_signal.h"

namespace myri::emulator {
namespace {

// Without a process acting for so long, firmware timers are the only thing that still happens.
constexpr Time SILENCE = milliseconds(1'000'000);
// Longer than any packet is on its way.
constexpr Time DRAIN = milliseconds(10);
// Steps of the timeline between two looks at sockets and children.
constexpr unsigned STEPS = 256;
// Output that may be held back for its turn before commands must wait with more.
constexpr size_t OUTPUT_MAX = 16u << 20;

class Run {
public:
    explicit Run(const RunOptions& options)
        : options_(options), stop_signal_(loop_, [this] { patience_.stop(); }),
          patience_(loop_, Patience::Seconds(options.longest_s), Patience::Seconds(options.report_after_s)),
          machines_(options.fabric, !options.free),
          service_(loop_, machines_.scheduler(), machines_.drivers(), socket_.take(), service_options()) {
        adopt_orphans();
        if (machines_.faulty()) {
            verdicts_ = std::filesystem::path(socket_.path()).parent_path() / "verdicts";
            machines_.follow_faults();
        }
        stay_on_this_processor(); // free running, the commands leave it to us
    }
    ~Run() {
        service_.shut();
        end_commands();
        for (const auto& clock : clocks_)
            machines_.timeline().remove(*clock);
        if (!verdicts_.empty())
            unlink(verdicts_.c_str());
    }
    int go();

private:
    DriverService::Options service_options() const {
        return {!options_.free, options_.fabric.seed, machines_.booted(), options_.fabric.shuffle_stores};
    }
    void plan_faults();
    void start_commands();
    void add_clock(unsigned number, unsigned host);
    void go_virtual();
    void release_output();
    void collect(unsigned number, Time now, bool rest);
    void output_full(unsigned number);
    bool over() const;
    bool silent();
    void explain_silence();
    void end_faults();
    void end_commands();
    int status() const;

    const RunOptions& options_;
    EventLoop loop_;
    StopSignal stop_signal_;
    Patience patience_;
    PrivateSocket socket_;
    Machines machines_;
    std::string verdicts_; // file, if faults are followed
    OutputOrder output_;
    bool output_paused_ = false; // some command's output is not being read
    std::vector<std::unique_ptr<Command>> commands_;
    unsigned last_first_ = 0; // commands of the last --on begin here
    std::vector<std::unique_ptr<CommandClock>> clocks_;
    DriverService service_;
    Time last_act_ = 0; // of any process
    bool failed_ = false;
};

void Run::start_commands() {
    std::vector<std::pair<unsigned, std::string>> all; // host, text
    for (const auto& [host, text] : options_.on) {
        last_first_ = static_cast<unsigned>(all.size());
        for (unsigned n = 0; n < options_.fabric.hosts; n++)
            if (host == "all" || host == machines_.host(n).name())
                all.emplace_back(n, text);
    }
    for (const auto& [host, text] : all) {
        Command::Start start;
        start.text = text;
        start.host = machines_.host(host).name();
        start.fabric = socket_.path();
        start.repeatable = !options_.free;
        start.verdicts = verdicts_;
        start.full = [this, number = static_cast<unsigned>(commands_.size())] { output_full(number); };
        commands_.push_back(std::make_unique<Command>(loop_, std::move(start)));
    }
    if (options_.free)
        return;
    std::vector<CommandClock*> clocks;
    for (unsigned number = 0; number < all.size(); number++) {
        add_clock(number, all[number].first);
        clocks.push_back(clocks_.back().get());
    }
    service_.set_commands(clocks, [this](pid_t pid) -> CommandClock* {
        const pid_t session = getsid(pid);
        for (pid_t p = pid; p > 1; p = parent_of(p))
            for (size_t n = 0; n < commands_.size(); n++)
                if (commands_[n]->pid() == p || commands_[n]->pid() == session)
                    return clocks_[n].get();
        return nullptr;
    });
}

void Run::plan_faults() {
    for (const TimedFault& fault : options_.at)
        for (HostDriver* driver : machines_.drivers())
            if (driver->host().name() == fault.host)
                machines_.scheduler().at(machines_.booted() + fault.when, driver->rank(), [driver, fault](Time now) {
                    driver->inject(now, fault.what.fault, fault.what.value); // what it may say was looked at before
                });
}

void Run::add_clock(unsigned number, unsigned host) {
    CommandClock::Hooks hooks;
    hooks.handed_over = [this, number](Time now) {
        collect(number, now, false);
        last_act_ = std::max(last_act_, now);
    };
    hooks.exited = [this, number] { return commands_[number]->ended(); };
    hooks.ended = [this, number] { collect(number, clocks_[number]->held(), true); };
    const std::string& text = commands_[number]->text();
    const std::string name = fmt::format("{}: command `{}`", machines_.host(host).name(),
                                         text.size() <= 60 ? text : text.substr(0, 57) + "...");
    clocks_.push_back(
        std::make_unique<CommandClock>(service_, patience_, host, name, machines_.booted(), std::move(hooks)));
    machines_.timeline().add(*clocks_.back());
}

void Run::collect(unsigned number, Time now, bool rest) {
    auto text = commands_[number]->take_output(rest);
    output_.add({now, number}, STDOUT_FILENO, std::move(text[0]));
    output_.add({now, number}, STDERR_FILENO, std::move(text[1]));
}

// A command has printed much since it stood anywhere; it may be its turn to print, or not.
void Run::output_full(unsigned number) {
    collect(number, clocks_[number]->held(), true);
    output_paused_ = true;
    release_output();
}

// The earliest (time, number) at which a command can still print.
void Run::release_output() {
    if (output_.empty() && !output_paused_)
        return;
    const Time front = std::max(machines_.timeline().front(), machines_.scheduler().now());
    OutputOrder::Key bound{NEVER, ~0u};
    for (unsigned n = 0; n < clocks_.size(); n++)
        if (!clocks_[n]->ended())
            bound = std::min(bound, {std::min(clocks_[n]->clock(), front), n});
    output_.release(bound);
    if (output_.bytes() < OUTPUT_MAX && std::exchange(output_paused_, false))
        for (const auto& command : commands_)
            command->resume();
}

bool Run::over() const {
    for (unsigned n = last_first_; n < commands_.size(); n++)
        if (options_.free ? !commands_[n]->ended() : !clocks_[n]->ended())
            return false;
    return true;
}

bool Run::silent() {
    return machines_.scheduler().now() > last_act_ + SILENCE &&
           std::ranges::all_of(clocks_, [](const auto& clock) { return clock->waits_for_ever(); });
}

void Run::explain_silence() {
    say("all wait and nothing is under way:");
    for (const auto& clock : clocks_)
        say("  " + clock->describe());
}

void Run::go_virtual() {
    // (A command that cannot print on before its turn cannot attach either; it holds time at 0 all the same.)
    const auto all_here = [this] {
        for (unsigned n = 0; n < clocks_.size(); n++)
            if (!clocks_[n]->attached() && !commands_[n]->ended() && !output_paused_)
                return false;
        return true;
    };
    patience_.wait(all_here, [&] {
        std::string who;
        for (unsigned n = 0; n < clocks_.size(); n++)
            if (!clocks_[n]->attached() && !commands_[n]->ended())
                who += (who.empty() ? "" : ", ") + clocks_[n]->describe();
        return "time stands at 0 until every command has attached or ended; missing: " + who;
    });
    for (unsigned step = 1; !over() && !patience_.stopped(); step++) {
        if (!machines_.timeline().step() || silent()) {
            explain_silence();
            failed_ = true;
            return;
        }
        release_output();
        if (step % STEPS == 0) {
            patience_.glance();
            for (const std::string& stop : machines_.new_stops())
                say(stop);
        }
    }
}

// Lets what is under way arrive first, unless somebody is still there who could send more.
void Run::end_faults() {
    if (verdicts_.empty())
        return;
    if (std::ranges::all_of(clocks_, &CommandClock::ended)) {
        const Time end = machines_.scheduler().now() + DRAIN;
        while (machines_.timeline().step(end)) {
        }
    }
    std::ifstream verdicts(verdicts_);
    machines_.end_faults(verdicts);
}

void Run::end_commands() {
    for (const auto& command : commands_)
        command->signal(SIGTERM);
    // Most end at once; who does not is killed with the rest of its session.
    for (int n = 0; n < 50 && !std::ranges::all_of(commands_, &Command::ended); n++)
        loop_.once(10);
    commands_.clear();
    stop_descendants();
}

int Run::status() const {
    if (const int number = stop_signal_.number())
        return 128 + number;
    if (patience_.expired()) {
        say(fmt::format("ended after {:g} s of wall time (--max-time)", options_.longest_s));
        return 1;
    }
    if (failed_)
        return 1;
    for (unsigned n = last_first_; n < commands_.size(); n++)
        if (commands_[n]->status() != 0)
            return commands_[n]->status();
    return 0;
}

int Run::go() {
    start_commands();
    plan_faults();
    if (options_.free)
        FreeRun(machines_, service_, loop_, patience_).until([this] { return over(); });
    else
        go_virtual();
    output_.release_all();
    const int result = status();
    end_faults();
    if (options_.statistics) {
        say("statistics");
        fmt::print(stderr, "{}hand-overs: {}\nvirtual time: {}\n", machines_.statistics(), service_.hand_overs(),
                   service_.show(machines_.scheduler().now()));
    }
    service_.shut();
    end_commands();
    return result;
}

} // namespace

int run(const RunOptions& options) {
    const auto known = [&](const std::string& host) {
        for (unsigned n = 0; n < options.fabric.hosts; n++)
            if (host == "n" + std::to_string(n))
                return true;
        return false;
    };
    for (const auto& [host, text] : options.on)
        if (host != "all" && !known(host))
            throw std::runtime_error(fmt::format("--on {}: no such host; n0 to n{} and all are possible", host,
                                                 options.fabric.hosts - 1));
    for (const TimedFault& fault : options.at)
        if (!known(fault.host))
            throw std::runtime_error(fmt::format("--at: {}: no such host; n0 to n{} are possible", fault.host,
                                                 options.fabric.hosts - 1));
    return Run(options).go();
}

} // namespace myri::emulator
