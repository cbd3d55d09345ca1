// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/command.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "emulator/driver/patience.h"

extern char** environ;

namespace myri::emulator {
namespace {

constexpr size_t TEXT_MAX = 1u << 20; // of a stream, before somebody must take it

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

bool passed_on(std::string_view variable) {
    // The loader's and the sanitizers' do not differ between two runs and are needed to run uninstalled programs.
    for (const char* prefix : {"MYRI_", "MX_", "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS="})
        if (variable.starts_with(prefix))
            return !variable.starts_with("MYRI_FABRIC=") && !variable.starts_with("MYRI_HOST=");
    return false;
}

std::vector<std::string> environment(const Command::Start& start) {
    const bool repeatable = start.repeatable;
    const std::string own = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const char* path = std::getenv("PATH");
    std::vector<std::string> out{"PATH=" + own + ":" + (path ? path : "/usr/local/bin:/usr/bin:/bin"),
                                 "MYRI_FABRIC=" + start.fabric, "MYRI_HOST=" + start.host};
    if (!start.verdicts.empty())
        out.push_back("MYRI_TRACE_VERDICTS=" + start.verdicts);
    if (repeatable) {
        out.push_back("HOME=/");
        out.push_back("LANG=C");
    }
    for (char** v = environ; *v; v++) {
        const std::string_view variable(*v);
        if (!start.verdicts.empty() && variable.starts_with("MYRI_TRACE_VERDICTS="))
            continue;
        if (repeatable ? passed_on(variable)
                       : !variable.starts_with("PATH=") && !variable.starts_with("MYRI_FABRIC=") &&
                             !variable.starts_with("MYRI_HOST="))
            out.emplace_back(variable);
    }
    return out;
}

} // namespace

Command::Command(EventLoop& loop, Start start) : loop_(loop), start_(std::move(start)) {
    std::array<FileDescriptor, 2> ends;
    for (size_t n = 0; start_.repeatable && n < 2; n++) {
        int fds[2];
        if (pipe2(fds, O_CLOEXEC) != 0)
            fail("pipe");
        streams_[n].pipe = FileDescriptor(fds[0]);
        ends[n] = FileDescriptor(fds[1]);
        fcntl(fds[0], F_SETFL, O_NONBLOCK);
    }
    int report[2]; // the child says by it that it runs without randomisation ('1') or not ('0')
    if (pipe2(report, O_CLOEXEC) != 0)
        fail("pipe");
    const FileDescriptor heard(report[0]);
    FileDescriptor said(report[1]);
    pid_ = fork();
    if (pid_ < 0)
        fail("fork");
    if (pid_ == 0)
        become_shell(ends, report[1]);
    said.reset();
    char randomised = 0;
    static bool told = false;
    if (read(heard.get(), &randomised, 1) == 1 && randomised == '1' && !std::exchange(told, true))
        say("the system refuses personality(ADDR_NO_RANDOMIZE): two runs may differ in their addresses");
    pidfd_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    if (!pidfd_)
        fail("pidfd_open");
    loop_.watch(pidfd_.get(), [this] { reap(); });
    for (Stream& stream : streams_)
        if (stream.pipe)
            loop_.watch(stream.pipe.get(), [this, &stream] { read_on(stream); }, true);
}

void Command::become_shell(const std::array<FileDescriptor, 2>& ends, int report) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    char randomised = '0';
    if (!start_.repeatable)
        use_other_processors();
    if (start_.repeatable) {
        if (personality(ADDR_NO_RANDOMIZE) < 0)
            randomised = '1';
        const int null = open("/dev/null", O_RDONLY);
        dup2(null, STDIN_FILENO);
        dup2(ends[0].get(), STDOUT_FILENO);
        dup2(ends[1].get(), STDERR_FILENO);
        close(null);
    }
    if (write(report, &randomised, 1) != 1)
        _exit(126);
    std::vector<std::string> variables = environment(start_);
    std::vector<char*> pointers;
    for (std::string& variable : variables)
        pointers.push_back(variable.data());
    pointers.push_back(nullptr);
    const char* arguments[] = {"sh", "-c", "--", start_.text.c_str(), nullptr};
    execve("/bin/sh", const_cast<char**>(arguments), pointers.data());
    std::fprintf(stderr, "myri-fabric: /bin/sh: %s\n", std::strerror(errno));
    _exit(127);
}

Command::~Command() {
    for (Stream& stream : streams_)
        if (stream.pipe)
            loop_.forget(stream.pipe.get());
    loop_.forget(pidfd_.get());
    signal(SIGKILL);
    if (!ended())
        waitpid(pid_, nullptr, 0);
}

void Command::signal(int number) {
    kill(-pid_, number); // its whole group; nobody left is no error
}

void Command::reap() {
    siginfo_t info{};
    if (waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
        return;
    loop_.forget(pidfd_.get());
    status_ = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

void Command::drain(Stream& stream, size_t most) {
    char buffer[16384];
    while (stream.text.size() < most) {
        const ssize_t got = read(stream.pipe.get(), buffer, sizeof buffer);
        if (got > 0) {
            stream.text.append(buffer, static_cast<size_t>(got));
            continue;
        }
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        loop_.forget(stream.pipe.get());
        stream.pipe.reset();
        return;
    }
}

void Command::read_on(Stream& stream) {
    drain(stream, TEXT_MAX);
    if (stream.pipe && stream.text.size() >= TEXT_MAX) {
        loop_.forget(stream.pipe.get());
        stream.paused = true;
        start_.full();
    }
}

void Command::resume() {
    for (Stream& stream : streams_)
        if (stream.pipe && std::exchange(stream.paused, false))
            loop_.watch(stream.pipe.get(), [this, &stream] { read_on(stream); }, true);
}

std::array<std::string, 2> Command::take_output(bool rest) {
    std::array<std::string, 2> out;
    for (size_t n = 0; n < 2; n++) {
        Stream& stream = streams_[n];
        if (rest && stream.pipe)
            drain(stream, stream.text.size() + TEXT_MAX); // a pipe holds less
        const size_t end = rest ? stream.text.size() : stream.text.rfind('\n') + 1; // npos + 1 is 0
        out[n] = stream.text.substr(0, end);
        stream.text.erase(0, end);
    }
    return out;
}

pid_t parent_of(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(stat, line);
    int parent = 0;
    // The name in parentheses may hold anything, even a parenthesis.
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos || std::sscanf(line.c_str() + name_end + 1, " %*c %d", &parent) != 1)
        return 0;
    return parent;
}

namespace {
cpu_set_t others; // processors we might use beside the one we stay on
}

// Both only make things faster, so that a refusal does not matter.
void stay_on_this_processor() {
    const int processor = sched_getcpu();
    cpu_set_t set;
    CPU_ZERO(&others);
    sched_getaffinity(0, sizeof others, &others);
    CPU_ZERO(&set);
    CPU_SET(processor < 0 ? 0 : static_cast<size_t>(processor), &set);
    CPU_CLR(processor < 0 ? 0 : static_cast<size_t>(processor), &others);
    sched_setaffinity(0, sizeof set, &set);
}

void use_other_processors() {
    if (CPU_COUNT(&others) > 0)
        sched_setaffinity(0, sizeof others, &others);
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void stop_descendants() {
    namespace fs = std::filesystem;
    const pid_t own = getpid();
    // Killing a process makes its children ours, hence the rounds.
    for (bool found = true; found;) {
        found = false;
        std::error_code gone;
        for (const auto& entry : fs::directory_iterator("/proc", gone)) {
            const pid_t pid = std::atoi(entry.path().filename().c_str());
            if (pid > 0 && parent_of(pid) == own) {
                found = true;
                kill(pid, SIGKILL);
                waitpid(pid, nullptr, 0);
            }
        }
    }
}

} // namespace myri::emulator
