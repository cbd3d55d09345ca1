// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/inject_command.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "emulator/driver/socket_frames.h"
#include "emulator/main/socket_place.h"

namespace myri::emulator {
namespace {

constexpr int ANSWER_MS = 10'000;

// Asks for what `structure` says, and puts the answer there; 0 or a negative errno.
template <typename T>
int ask(int socket, uint32_t request, T& structure, std::span<const int> descriptors = {}) {
    myri_frame head{};
    head.request = request;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&structure);
    if (!send_frame(socket, head, {bytes, sizeof structure}, descriptors))
        throw std::runtime_error("the fabric does not listen any more");
    pollfd answer{socket, POLLIN, 0};
    iovec parts[2] = {{&head, sizeof head}, {&structure, sizeof structure}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (poll(&answer, 1, ANSWER_MS) != 1 || recvmsg(socket, &message, 0) < static_cast<ssize_t>(sizeof head) ||
        head.request != request)
        throw std::runtime_error("the fabric does not answer");
    return head.status;
}

} // namespace

int inject(const std::string& socket, const std::string& host, const NamedFault& fault) {
    const std::string path = running_fabric(socket);
    const FileDescriptor fabric = connect_to(path);
    if (!fabric)
        throw std::runtime_error("no fabric listens at " + path);
    const FileDescriptor self(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
    if (!self)
        throw std::system_error(errno, std::generic_category(), "pidfd_open");
    myri_attach attach{};
    attach.abi = MYRI_DRIVER_ABI;
    if (host.size() >= sizeof attach.host)
        throw std::runtime_error("host " + host + ": no such host");
    std::memcpy(attach.host, host.data(), host.size());
    const int descriptors[] = {self.get()};
    const int attached = ask(fabric.get(), MYRI_ATTACH, attach, descriptors);
    if (attached == -ENOENT)
        throw std::runtime_error(fmt::format("host {}: no such host; there are {}", host,
                                             std::string(attach.hosts, strnlen(attach.hosts, sizeof attach.hosts))));
    if (attached == -EPROTO)
        throw std::runtime_error("the fabric is of another version of this program");
    if (attached != 0)
        throw std::runtime_error(fmt::format("the fabric refuses this program: {}", std::strerror(-attached)));
    myri_inject request{};
    request.fault = fault.fault;
    request.value = fault.value;
    const int status = ask(fabric.get(), MYRI_INJECT, request);
    if (status == -EPERM)
        throw std::runtime_error("only the user who has started the fabric may do that");
    if (status != 0)
        throw std::runtime_error(fmt::format("the fabric refuses the fault: {}", std::strerror(-status)));
    return 0;
}

} // namespace myri::emulator
