// SPDX-License-Identifier: BSD-3-Clause
// The driver's socket, free running: a process that sends whatever it likes. The input is a row of frames, each
// preceded by its length in one byte (times 4) and a byte that says what comes along.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "emulator/driver/driver_service.h"
#include "emulator/main/machines.h"
#include "emulator/main/socket_place.h"

using namespace myri::emulator;

namespace {

// One fabric for all inputs: booting it takes longer than thousands of them. What a process had goes with it.
struct Fabric {
    Machines machines{[] {
                          FabricOptions options;
                          options.hosts = 1;
                          return options;
                      }(),
                      true};
    EventLoop loop;
    std::string path = "/tmp/myri-fuzz-" + std::to_string(getpid());
    DriverService service{loop, machines.scheduler(), machines.drivers(), listen_at(path), {.virtual_time = false}};
    Fabric() {
        service.set_now([this] { return machines.scheduler().now(); });
    }
    ~Fabric() { unlink(path.c_str()); }

    FileDescriptor connected() {
        FileDescriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::copy(path.begin(), path.end(), address.sun_path);
        if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            std::abort();
        return fd;
    }
    void serve() {
        while (loop.once(0))
            ;
        machines.timeline().run_until(machines.scheduler().now() + microseconds(200)); // the card carries it out
        service.check_waits();
    }
};

void send_bytes(int to, const uint8_t* bytes, size_t length, bool with_descriptor) {
    static const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    alignas(cmsghdr) uint8_t control[CMSG_SPACE(sizeof memory)] = {};
    iovec part{const_cast<uint8_t*>(bytes), length};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (with_descriptor) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof memory);
        std::memcpy(CMSG_DATA(c), &memory, sizeof memory);
    }
    sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL); // it may have been thrown out already
}

void attach(int to) {
    struct {
        myri_frame head;
        myri_attach request;
    } frame{};
    frame.head.request = MYRI_ATTACH;
    frame.head.length = sizeof frame.request;
    frame.request.abi = MYRI_DRIVER_ABI;
    frame.request.has_memory = 1;
    std::strcpy(frame.request.host, "n0");
    send_bytes(to, reinterpret_cast<uint8_t*>(&frame), sizeof frame, true);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static Fabric fabric;
    {
        const FileDescriptor client = fabric.connected();
        fabric.serve();
        bool attached = false;
        for (size_t at = 0; at + 2 <= size;) {
            const size_t length = std::min<size_t>(bytes[at] * 4, size - at - 2);
            const uint8_t how = bytes[at + 1];
            at += 2;
            if (!attached && !(how & 1)) // most inputs get past the first frame
                attach(client.get());
            attached = true;
            // Most heads are right but for the request; without, nothing would be looked at.
            std::vector<uint8_t> frame(bytes + at, bytes + at + length);
            if (!(how & 2) && length >= 1) {
                myri_frame head{};
                head.request = frame[0] % 24;
                head.length = static_cast<uint32_t>(length - 1);
                frame.erase(frame.begin());
                frame.insert(frame.begin(), reinterpret_cast<uint8_t*>(&head),
                             reinterpret_cast<uint8_t*>(&head) + sizeof head);
            }
            if (!frame.empty())
                send_bytes(client.get(), frame.data(), frame.size(), how & 4);
            at += length;
            fabric.serve();
        }
    }
    do
        fabric.serve();
    while (fabric.service.any_endpoint());
    return 0;
}
