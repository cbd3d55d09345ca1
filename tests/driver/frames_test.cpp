// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <cstring>
#include <random>

#include "emulator/driver/socket_frames.h"

using namespace myri::emulator;

namespace {

struct Pair {
    FileDescriptor a, b;
    Pair() {
        int fds[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
        a = FileDescriptor(fds[0]);
        b = FileDescriptor(fds[1]);
    }
    Received put(const std::vector<uint8_t>& bytes, Frame& frame) {
        REQUIRE(send(a.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
        return receive_frame(b.get(), frame);
    }
};

std::vector<uint8_t> frame_bytes(const myri_frame& head, size_t body) {
    std::vector<uint8_t> bytes(sizeof head + body, 7);
    std::memcpy(bytes.data(), &head, sizeof head);
    return bytes;
}

myri_frame head_of(uint32_t length) {
    myri_frame head{};
    head.request = MYRI_PEERS;
    head.length = length;
    head.now = 42;
    return head;
}

int open_descriptors() {
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

} // namespace

TEST_CASE("a whole frame arrives with its body and descriptors") {
    Pair pair;
    const uint8_t body[] = {1, 2, 3};
    const int descriptors[] = {pair.a.get(), pair.b.get()};
    REQUIRE(send_frame(pair.a.get(), head_of(0), body, descriptors));
    Frame frame;
    REQUIRE(receive_frame(pair.b.get(), frame) == Received::frame);
    CHECK_EQ(frame.head.request, uint32_t{MYRI_PEERS});
    CHECK_EQ(frame.head.length, 3u);
    CHECK_EQ(frame.head.now, 42u);
    CHECK_EQ(frame.body, std::vector<uint8_t>{1, 2, 3});
    CHECK_EQ(frame.descriptors.size(), 2u);
}

TEST_CASE("frames that are not what their head says are malformed") {
    Pair pair;
    Frame frame;
    CHECK(pair.put({1, 2, 3}, frame) == Received::malformed);
    CHECK(pair.put(frame_bytes(head_of(5), 4), frame) == Received::malformed);
    CHECK(pair.put(frame_bytes(head_of(3), 4), frame) == Received::malformed);
    myri_frame answer = head_of(4);
    answer.status = -1;
    CHECK(pair.put(frame_bytes(answer, 4), frame) == Received::malformed);
    myri_frame reserved = head_of(4);
    reserved.reserved = 1;
    CHECK(pair.put(frame_bytes(reserved, 4), frame) == Received::malformed);
    CHECK(pair.put(frame_bytes(head_of(4), 4), frame) == Received::frame);
}

TEST_CASE("the longest frame fits and one byte more does not") {
    Pair pair;
    const size_t most = MYRI_FRAME_MAX - sizeof(myri_frame);
    Frame frame;
    CHECK(pair.put(frame_bytes(head_of(static_cast<uint32_t>(most)), most), frame) == Received::frame);
    CHECK_EQ(frame.body.size(), most);
    CHECK(pair.put(frame_bytes(head_of(static_cast<uint32_t>(most + 1)), most + 1), frame) == Received::malformed);
}

TEST_CASE("no frame and no peer are told apart") {
    Pair pair;
    Frame frame;
    CHECK(receive_frame(pair.b.get(), frame) == Received::nothing);
    pair.a.reset();
    CHECK(receive_frame(pair.b.get(), frame) == Received::closed);
    CHECK_FALSE(send_frame(pair.b.get(), head_of(0), {}));
}

TEST_CASE("descriptors of frames that nobody wants are closed, however many") {
    Pair pair;
    const int before = open_descriptors();
    for (const size_t count : {1u, 8u, 20u}) {
        const std::vector<int> descriptors(count, pair.a.get());
        alignas(cmsghdr) char control[CMSG_SPACE(20 * sizeof(int))] = {};
        char byte = 1;
        iovec part{&byte, 1};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        cmsghdr* c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(count * sizeof(int));
        std::memcpy(CMSG_DATA(c), descriptors.data(), count * sizeof(int));
        REQUIRE(sendmsg(pair.a.get(), &message, 0) == 1);
        Frame frame;
        CHECK(receive_frame(pair.b.get(), frame) == Received::malformed);
    }
    CHECK_EQ(open_descriptors(), before);
}

TEST_CASE("random bytes are a frame only if their length field agrees") {
    Pair pair;
    std::mt19937 random(20050101);
    for (int round = 0; round < 5000; round++) {
        std::vector<uint8_t> bytes(1 + random() % 80);
        for (uint8_t& byte : bytes)
            byte = static_cast<uint8_t>(random() % 4 ? 0 : random());
        Frame frame;
        const Received got = pair.put(bytes, frame);
        uint32_t length = 0;
        if (bytes.size() >= sizeof(myri_frame))
            std::memcpy(&length, &bytes[offsetof(myri_frame, length)], sizeof length);
        const bool agrees = bytes.size() >= sizeof(myri_frame) && length == bytes.size() - sizeof(myri_frame);
        if (!agrees)
            CHECK(got == Received::malformed);
        if (got == Received::frame)
            CHECK_EQ(frame.body.size(), length);
    }
}
