// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/server.h"

#include <sys/socket.h>

#include <utility>

namespace myri::emulator::vfio {
namespace {

// Then others have their turn.
constexpr unsigned MESSAGES_AT_ONCE = 64;

} // namespace

Server::Server(EventLoop& loop, GuestHost& guest, FileDescriptor listener, std::string path,
               std::function<void(const std::string&)> complain)
    : loop_(loop), guest_(guest), listener_(std::move(listener)), path_(std::move(path)),
      complain_(std::move(complain)) {
    wait_for_client();
}

Server::~Server() {
    if (stream_)
        drop();
    loop_.forget(listener_.get());
}

void Server::wait_for_client() {
    loop_.watch(listener_.get(), [this] { accept_client(); });
}

void Server::accept_client() {
    FileDescriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket)
        return; // it has changed its mind
    loop_.forget(listener_.get());
    stream_ = std::make_unique<MessageStream>(std::move(socket));
    session_ = std::make_unique<Session>(guest_.device(), guest_.memory());
    wants_room_ = false;
    loop_.watch(stream_->fd(), [this] { readable(); });
}

void Server::readable() {
    guest_.note_activity();
    try {
        stream_->flush();
        for (unsigned n = 0; n < MESSAGES_AT_ONCE && !stream_->pending(); n++) {
            auto request = stream_->receive();
            if (!request)
                break;
            answer(*request);
        }
        if (stream_->pending() != std::exchange(wants_room_, stream_->pending()))
            loop_.want_room(stream_->fd(), wants_room_);
    } catch (const ProtocolError& error) {
        complain_(path_ + ": " + error.what());
        drop();
        wait_for_client();
        return;
    }
    if (stream_->ended()) {
        drop();
        wait_for_client();
    }
}

void Server::answer(Message& request) {
    const Reply reply = session_->serve(request);
    if (Session::wants_reply(request))
        stream_->send(request.head, reply);
}

void Server::drop() {
    loop_.forget(stream_->fd());
    session_.reset();
    stream_.reset();
    guest_.unplug();
}

} // namespace myri::emulator::vfio
