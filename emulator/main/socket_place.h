// SPDX-License-Identifier: BSD-3-Clause
//
// The Unix socket on which a fabric can be found.
#pragma once

#include <sys/socket.h>

#include <string>

#include "emulator/driver/file_descriptor.h"

namespace myri::emulator {

// A socket in a new private folder; both are removed at the end.
class PrivateSocket {
public:
    PrivateSocket(); // throws std::system_error
    ~PrivateSocket();
    PrivateSocket(const PrivateSocket&) = delete;
    PrivateSocket& operator=(const PrivateSocket&) = delete;
    const std::string& path() const { return path_; }
    FileDescriptor take() { return std::move(listener_); }

private:
    std::string folder_, path_;
    FileDescriptor listener_;
};

// Where `start` listens if nobody says otherwise: a folder that only this user can enter. Made if it is missing;
// throws std::runtime_error if it belongs to somebody else.
std::string usual_socket();
// A listening socket at `path`, SOCK_SEQPACKET for the driver's clients, SOCK_STREAM for QEMU. A socket file that nobody
// listens on is replaced. Throws std::runtime_error if somebody listens there, or the path is too long or cannot be made.
FileDescriptor listen_at(const std::string& path, int type = SOCK_SEQPACKET);
// Where a fabric is looked for: `named`, else MYRI_FABRIC, else the usual place.
std::string running_fabric(const std::string& named);
// Connected to the fabric that listens at `path`; empty if none does.
FileDescriptor connect_to(const std::string& path);
// The process that listens at `path`, 0 if nobody does.
int listener_process(const std::string& path);

} // namespace myri::emulator
