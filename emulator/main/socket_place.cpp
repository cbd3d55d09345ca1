// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/socket_place.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace myri::emulator {
namespace {

constexpr int QUEUE = 128;

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        throw std::runtime_error("socket " + path + ": a path of 1 to " + std::to_string(sizeof address.sun_path - 1) +
                                 " bytes is possible");
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

[[noreturn]] void fail(const std::string& path) { throw std::system_error(errno, std::generic_category(), path); }

FileDescriptor new_socket(int type) {
    FileDescriptor fd(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd)
        fail("socket");
    return fd;
}

// Somebody listens there, perhaps with another type of socket, perhaps with a full queue.
bool in_use(const std::string& path, int type) {
    const sockaddr_un address = address_of(path);
    const FileDescriptor fd = new_socket(type);
    return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EPROTOTYPE ||
           errno == EAGAIN;
}

} // namespace

FileDescriptor connect_to(const std::string& path) {
    const sockaddr_un address = address_of(path);
    FileDescriptor fd = new_socket(SOCK_SEQPACKET);
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        fd.reset();
    return fd;
}

int listener_process(const std::string& path) {
    const FileDescriptor fd = connect_to(path);
    if (!fd)
        return 0;
    ucred peer{};
    socklen_t length = sizeof peer;
    return getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.pid : 0;
}

FileDescriptor listen_at(const std::string& path, int type) {
    if (const int pid = listener_process(path))
        throw std::runtime_error("socket " + path + ": a fabric (pid " + std::to_string(pid) +
                                 ") listens there; stop it or choose another one with --socket");
    if (in_use(path, type))
        throw std::runtime_error("socket " + path + ": somebody listens there");
    struct stat there;
    if (lstat(path.c_str(), &there) == 0) {
        if (!S_ISSOCK(there.st_mode))
            throw std::runtime_error("socket " + path + ": something else has this name");
        unlink(path.c_str()); // left behind by a fabric that was killed
    }
    const sockaddr_un address = address_of(path);
    FileDescriptor fd = new_socket(type);
    const mode_t before = umask(0077);
    const int bound = bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    umask(before);
    if (bound != 0 || listen(fd.get(), QUEUE) != 0)
        fail("socket " + path);
    return fd;
}

PrivateSocket::PrivateSocket() {
    const char* base = std::getenv("TMPDIR");
    folder_ = std::string(base && *base ? base : "/tmp") + "/myri-XXXXXX";
    if (!mkdtemp(folder_.data()))
        fail(folder_);
    path_ = folder_ + "/fabric";
    try {
        listener_ = listen_at(path_);
    } catch (...) {
        rmdir(folder_.c_str());
        throw;
    }
}

PrivateSocket::~PrivateSocket() {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
}

std::string running_fabric(const std::string& named) {
    const char* fabric = std::getenv("MYRI_FABRIC");
    return !named.empty() ? named : fabric && *fabric ? std::string(fabric) : usual_socket();
}

std::string usual_socket() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime)
        return std::string(runtime) + "/myri-fabric";
    const std::string folder = "/tmp/myri-" + std::to_string(geteuid());
    struct stat there;
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        fail(folder);
    if (lstat(folder.c_str(), &there) != 0 || !S_ISDIR(there.st_mode) || there.st_uid != geteuid() ||
        (there.st_mode & 077) != 0)
        throw std::runtime_error(folder + ": must be a folder of this user with mode 0700");
    return folder + "/fabric";
}

} // namespace myri::emulator
