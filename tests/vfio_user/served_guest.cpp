// SPDX-License-Identifier: BSD-3-Clause
#include "tests/vfio_user/served_guest.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace vfio_test {

using namespace myri::emulator;

ServedGuest::ServedGuest(const std::string& card)
    : network(scheduler, one_crossbar(2)),
      guest(scheduler, timeline, 0, "n0", load_card_profile(card), load_host_profile("opteron-8131"),
            network.host_port(0), {0x0060dd123456, 123456}) {
    // Bound without a name, a socket gets an abstract one.
    FileDescriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sa_family_t family = AF_UNIX;
    if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&family), sizeof family) != 0 ||
        listen(listener.get(), 4) != 0)
        throw std::runtime_error("listen");
    listener_ = File(fcntl(listener.get(), F_DUPFD_CLOEXEC, 0));
    server = std::make_unique<vfio::Server>(loop, guest, std::move(listener), "test.sock",
                                            [this](const std::string& line) { complaints.push_back(line); });
}

Client ServedGuest::connect() {
    sockaddr_un address{};
    socklen_t length = sizeof address;
    File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
        throw std::runtime_error("connect");
    return {std::move(socket), [this] { pump(); }};
}

void ServedGuest::pump() {
    loop.once(0);
    run(microseconds(1));
}

void ServedGuest::run(Time duration) { timeline.run_until(scheduler.now() + duration); }

} // namespace vfio_test
