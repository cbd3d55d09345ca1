// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "emulator/driver/driver_service.h"
#include "emulator/main/free_run.h"
#include "emulator/main/machines.h"
#include "emulator/main/peer_file.h"
#include "emulator/main/socket_place.h"
#include "emulator/main/stop_signal.h"
#include "emulator/vfio_user/server.h"

namespace myri::emulator {
namespace {

constexpr int STOP_MS = 10'000; // an idle fabric ends in milliseconds

// Socket files that we have made; they end with us.
class SocketFiles {
public:
    ~SocketFiles() {
        for (const std::string& path : paths_)
            unlink(path.c_str());
    }
    FileDescriptor listen(const std::string& path, int type) {
        FileDescriptor listener = listen_at(path, type);
        paths_.push_back(path);
        return listener;
    }

private:
    std::vector<std::string> paths_;
};

// Serves until it is stopped; `ready` is called when processes can come.
void serve(const StartOptions& options, const std::string& path, const std::function<void()>& ready) {
    EventLoop loop;
    Patience patience(loop, Patience::Seconds(0), Patience::Seconds(1e9));
    const StopSignal stop_signal(loop, [&] { patience.stop(); });
    Machines machines(options.fabric, options.seeded);
    SocketFiles files;
    FileDescriptor listener = files.listen(path, SOCK_SEQPACKET);
    std::vector<std::unique_ptr<vfio::Server>> servers;
    for (size_t n = 0; n < options.qemu.size(); n++)
        servers.push_back(std::make_unique<vfio::Server>(loop, *machines.guests()[n],
                                                         files.listen(options.qemu[n], SOCK_STREAM), options.qemu[n],
                                                         say));
    if (!options.peers.empty())
        write_peers(options.peers, machines);
    DriverService service(loop, machines.scheduler(), machines.drivers(), std::move(listener),
                          {false, options.fabric.seed, machines.booted(), false});
    service.set_guests(machines.guest_cards());
    FreeRun free(machines, service, loop, patience);
    ready();
    free.until([&] {
        for (const std::string& stop : machines.new_stops())
            say(stop);
        return false;
    });
    service.shut();
}

void print_place(const std::string& path) {
    fmt::print("export MYRI_FABRIC={}\n", path);
    std::fflush(stdout);
}

// Runs in the daemon. What goes wrong before it is ready reaches the terminal through `report`.
[[noreturn]] void become_daemon(const StartOptions& options, const std::string& path, FileDescriptor report) {
    setsid();
    int status = 1;
    try {
        serve(options, path, [&] {
            if (chdir("/") != 0)
                throw std::system_error(errno, std::generic_category(), "/");
            const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
            for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
                dup2(null, fd);
            close(null);
            if (write(report.get(), "+", 1) != 1)
                throw std::runtime_error("nobody waits for this fabric");
            report.reset();
        });
        status = 0;
    } catch (const std::exception& error) {
        say(error.what());
    }
    std::_Exit(status);
}

} // namespace

int start(const StartOptions& given) {
    // The daemon leaves this folder.
    const auto absolute = [](const std::string& path) {
        return path.empty() ? path : std::filesystem::absolute(path).string();
    };
    StartOptions options = given;
    options.fabric.guests = static_cast<unsigned>(options.qemu.size());
    std::ranges::transform(options.qemu, options.qemu.begin(), absolute);
    const std::string path = options.socket.empty() ? usual_socket() : absolute(options.socket);
    if (const int pid = listener_process(path))
        throw std::runtime_error(fmt::format("socket {}: a fabric (pid {}) listens there already", path, pid));
    if (options.foreground) {
        serve(options, path, [&] { print_place(path); });
        return 0;
    }
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    FileDescriptor heard(report[0]), said(report[1]);
    const pid_t child = fork();
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0)
        become_daemon(options, path, std::move(said));
    said.reset();
    char ready = 0;
    if (read(heard.get(), &ready, 1) == 1) {
        print_place(path);
        return 0;
    }
    waitpid(child, nullptr, 0); // it has said why
    return 1;
}

int stop(const std::string& socket) {
    const std::string path = running_fabric(socket);
    const int pid = listener_process(path);
    if (pid == 0)
        throw std::runtime_error("no fabric listens at " + path);
    const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (process && syscall(SYS_pidfd_send_signal, process.get(), SIGTERM, nullptr, 0) != 0)
        throw std::runtime_error(fmt::format("fabric at {} (pid {}): {}", path, pid, std::strerror(errno)));
    pollfd ended{process.get(), POLLIN, 0};
    if (process && poll(&ended, 1, STOP_MS) != 1)
        throw std::runtime_error(fmt::format("fabric at {} (pid {}) does not end", path, pid));
    return 0;
}

} // namespace myri::emulator
