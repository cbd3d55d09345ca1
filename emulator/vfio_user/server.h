// SPDX-License-Identifier: BSD-3-Clause
//
// Waits on a socket for the client of one card, QEMU, and serves it until it goes: one at a time, others wait. When a
// client is gone its memory and eventfds are dropped and the card is reset; then the next one may come.
#pragma once

#include <memory>
#include <string>

#include "emulator/driver/event_loop.h"
#include "emulator/vfio_user/guest_host.h"
#include "emulator/vfio_user/message_stream.h"
#include "emulator/vfio_user/session.h"

namespace myri::emulator::vfio {

class Server {
public:
    // `listener`: a listening SOCK_STREAM socket. `path` is only a name for messages. `complain` gets one line when a
    // client is thrown out.
    Server(EventLoop& loop, GuestHost& guest, FileDescriptor listener, std::string path,
           std::function<void(const std::string&)> complain);
    ~Server();
    bool connected() const { return stream_ != nullptr; }

private:
    void wait_for_client();
    void accept_client();
    void readable();
    void answer(Message& request);
    void drop();

    EventLoop& loop_;
    GuestHost& guest_;
    FileDescriptor listener_;
    const std::string path_;
    const std::function<void(const std::string&)> complain_;
    std::unique_ptr<MessageStream> stream_;
    std::unique_ptr<Session> session_;
    bool wants_room_ = false; // as the loop knows it
};

} // namespace myri::emulator::vfio
