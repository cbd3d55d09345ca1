// SPDX-License-Identifier: BSD-3-Clause
#include "tests/driver/fabric_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>

namespace myri::driver_test {
namespace fs = std::filesystem;
namespace {

constexpr auto LONGEST = std::chrono::seconds(60);

// A private folder for the sockets of this test program's fabrics. Not when it is a command of such a fabric itself.
struct Scratch {
    std::string path = "/tmp/driver-test-XXXXXX";
    Scratch() {
        if (getenv("DRIVER_TEST_INSIDE"))
            return;
        if (!mkdtemp(path.data()))
            throw std::runtime_error("mkdtemp");
        setenv("TMPDIR", path.c_str(), 1);
        setenv("XDG_RUNTIME_DIR", path.c_str(), 1);
        unsetenv("MYRI_FABRIC");
        unsetenv("MYRI_HOST");
    }
    ~Scratch() {
        if (!path.ends_with("XXXXXX"))
            fs::remove_all(path);
    }
} scratch;

} // namespace

std::string built(const std::string& name) {
    return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / name;
}

std::string client(const std::string& steps) { return built("tests/driver/client") + " " + steps; }

std::vector<std::string> traces() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(scratch.path))
        names.push_back(entry.path());
    return names;
}

Result run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        throw std::runtime_error("pipe");
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        dup2(err[1], 2);
        for (const std::string& variable : environment)
            putenv(const_cast<char*>(variable.c_str()));
        std::vector<char*> pointers;
        for (const std::string& a : arguments)
            pointers.push_back(const_cast<char*>(a.c_str()));
        pointers.push_back(nullptr);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    close(out[1]);
    close(err[1]);
    Result result;
    const auto limit = std::chrono::steady_clock::now() + LONGEST;
    pollfd fds[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
    std::string* texts[2] = {&result.out, &result.err};
    for (int open = 2; open > 0;) {
        if (std::chrono::steady_clock::now() > limit) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
            throw std::runtime_error("took too long: " + arguments.back() + "\n" + result.out + result.err);
        }
        poll(fds, 2, 1000);
        for (int n = 0; n < 2; n++) {
            if (!fds[n].revents)
                continue;
            char buffer[4096];
            const ssize_t got = read(fds[n].fd, buffer, sizeof buffer);
            if (got > 0) {
                texts[n]->append(buffer, static_cast<size_t>(got));
            } else {
                close(fds[n].fd);
                fds[n].fd = -1;
                open--;
            }
        }
    }
    int status = 0;
    waitpid(pid, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

Result fabric(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), built("bin/myri-fabric"));
    return run(arguments);
}

} // namespace myri::driver_test
