// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/socket_frames.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace myri::emulator {
namespace {

constexpr size_t DESCRIPTORS_MAX = 8; // more than any request has; what is beyond is closed by the kernel

void take_descriptors(msghdr& message, std::vector<FileDescriptor>& out) {
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t n = 0; n < count; n++) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(c) + n * sizeof fd, sizeof fd);
            out.emplace_back(fd);
        }
    }
}

} // namespace

Received receive_frame(int socket, Frame& frame) {
    static thread_local std::array<uint8_t, MYRI_FRAME_MAX> buffer;
    alignas(cmsghdr) std::array<uint8_t, CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))> control;
    iovec part{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();

    frame.head = {};
    frame.body.clear();
    frame.descriptors.clear();
    const ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? Received::nothing : Received::closed;
    take_descriptors(message, frame.descriptors);
    const auto length = static_cast<size_t>(got);
    if (length == 0)
        return Received::closed; // an empty message and the end look alike on this kind of socket
    std::memcpy(&frame.head, buffer.data(), std::min(length, sizeof frame.head));
    if (length < sizeof frame.head || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
        frame.head.length != length - sizeof frame.head || frame.head.status != 0 || frame.head.reserved != 0)
        return Received::malformed;
    frame.body.assign(buffer.begin() + sizeof frame.head, buffer.begin() + got);
    return Received::frame;
}

bool send_frame(int socket, myri_frame head, std::span<const uint8_t> body, std::span<const int> descriptors) {
    alignas(cmsghdr) std::array<uint8_t, CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))> control{};
    head.length = static_cast<uint32_t>(body.size());
    std::array<iovec, 2> parts{iovec{&head, sizeof head}, iovec{const_cast<uint8_t*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(c), descriptors.data(), descriptors.size_bytes());
    }
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(sizeof head + body.size());
}

} // namespace myri::emulator
