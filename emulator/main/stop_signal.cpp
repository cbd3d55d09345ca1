// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/stop_signal.h"

#include <signal.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <system_error>

namespace myri::emulator {

StopSignal::StopSignal(EventLoop& loop, std::function<void()> stop) : loop_(loop) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    fd_ = FileDescriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_)
        throw std::system_error(errno, std::generic_category(), "signalfd");
    loop_.watch(fd_.get(), [this, stop = std::move(stop)] {
        signalfd_siginfo info;
        if (read(fd_.get(), &info, sizeof info) == sizeof info)
            number_ = static_cast<int>(info.ssi_signo);
        stop();
    });
}

StopSignal::~StopSignal() { loop_.forget(fd_.get()); }

} // namespace myri::emulator
