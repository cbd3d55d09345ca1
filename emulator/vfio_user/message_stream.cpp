// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/message_stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

namespace myri::emulator::vfio {
namespace {

constexpr size_t DESCRIPTOR_ROOM = 32; // more than allowed, so that we see how many there are and can close them
constexpr size_t PIECE = 65536;

std::vector<FileDescriptor> descriptors_of(msghdr& message) {
    std::vector<FileDescriptor> all;
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t n = 0; n < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); n++) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(c) + n * sizeof fd, sizeof fd);
            all.emplace_back(fd);
        }
    }
    return all;
}

} // namespace

// False: there is nothing more at the moment.
bool MessageStream::read_some() {
    std::array<uint8_t, PIECE> bytes;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(DESCRIPTOR_ROOM * sizeof(int))> room;
    iovec part{bytes.data(), std::min(incoming_.wanted(), bytes.size())};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t got = recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        ended_ = true;
        if (incoming_.midway())
            throw ProtocolError("the connection ends in the middle of a message");
        return false;
    }
    std::vector<FileDescriptor> descriptors = descriptors_of(message);
    if (message.msg_flags & MSG_CTRUNC)
        throw ProtocolError("descriptors of a message were lost: more than " + std::to_string(DESCRIPTOR_ROOM) +
                            ", or this process has no room for them");
    incoming_.add({bytes.data(), static_cast<size_t>(got)}, std::move(descriptors));
    return true;
}

std::optional<Message> MessageStream::receive() {
    for (;;) {
        if (auto message = incoming_.take()) {
            // What the guest stored into mapped SRAM before it caused this message is seen from here on.
            std::atomic_thread_fence(std::memory_order_acquire);
            return message;
        }
        if (ended_ || !read_some())
            return std::nullopt;
    }
}

void MessageStream::send(const Header& request, const Reply& reply) {
    outgoing_ = encode(request, reply);
    sent_ = 0;
    descriptor_ = reply.error ? -1 : reply.descriptor;
    flush();
}

void MessageStream::flush() {
    while (pending() && !ended_) {
        iovec part{outgoing_.data() + sent_, outgoing_.size() - sent_};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
        if (descriptor_ >= 0) {
            message.msg_control = room.data();
            message.msg_controllen = room.size();
            cmsghdr* control = CMSG_FIRSTHDR(&message);
            control->cmsg_level = SOL_SOCKET;
            control->cmsg_type = SCM_RIGHTS;
            control->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(control), &descriptor_, sizeof descriptor_);
        }
        const ssize_t put = sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0) {
            ended_ = true; // the client is gone
            return;
        }
        descriptor_ = -1;
        sent_ += static_cast<size_t>(put);
    }
}

} // namespace myri::emulator::vfio
