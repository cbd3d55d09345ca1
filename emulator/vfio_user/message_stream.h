// SPDX-License-Identifier: BSD-3-Clause
//
// Messages over a connected Unix stream socket. Nothing here waits: what the socket does not take is kept, and until it
// is gone no further request is read, so a client that does not read its replies costs no memory.
#pragma once

#include <deque>

#include "emulator/vfio_user/message.h"

namespace myri::emulator::vfio {

class MessageStream {
public:
    explicit MessageStream(FileDescriptor socket) : socket_(std::move(socket)) {}
    int fd() const { return socket_.get(); }

    // The next request, if it has come whole. Throws ProtocolError for what is none, also for an end in the middle of
    // a message.
    std::optional<Message> receive();
    // The client is gone.
    bool ended() const { return ended_; }

    // One reply, with its descriptor beside the first byte. Call only when !pending().
    void send(const Header& request, const Reply& reply);
    // Some of the last reply still waits for room in the socket.
    bool pending() const { return sent_ < outgoing_.size(); }
    // Sends on.
    void flush();

private:
    bool read_some();

    FileDescriptor socket_;
    MessageAssembler incoming_;
    std::vector<uint8_t> outgoing_;
    size_t sent_ = 0;
    int descriptor_ = -1; // to go with the first byte of outgoing_
    bool ended_ = false;
};

} // namespace myri::emulator::vfio
