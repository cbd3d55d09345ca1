// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "emulator/driver/file_descriptor.h"
#include "emulator/main/output_order.h"

using namespace myri::emulator;

namespace {

struct Out {
    FileDescriptor read_end, write_end;
    Out() {
        int fds[2];
        REQUIRE(pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0);
        read_end = FileDescriptor(fds[0]);
        write_end = FileDescriptor(fds[1]);
    }
    std::string text() {
        char buffer[1000];
        const ssize_t got = read(read_end.get(), buffer, sizeof buffer);
        return {buffer, got > 0 ? static_cast<size_t>(got) : 0};
    }
};

} // namespace

TEST_CASE("text goes out by time and then by command, each command's in its own order") {
    Out out;
    OutputOrder order;
    const int fd = out.write_end.get();
    order.add({20, 0}, fd, "late ");
    order.add({10, 1}, fd, "b1 ");
    order.add({10, 0}, fd, "a1 ");
    order.add({10, 1}, fd, "b2 ");
    order.add({10, 0}, fd, "a2 ");
    order.release_all();
    CHECK_EQ(out.text(), "a1 a2 b1 b2 late ");
    CHECK(order.empty());
}

TEST_CASE("text waits until nobody can come up with earlier text") {
    Out out;
    OutputOrder order;
    const int fd = out.write_end.get();
    order.add({10, 1}, fd, "b ");
    order.add({30, 0}, fd, "d ");
    order.release({10, 0}); // command 0 can still print at 10
    CHECK_EQ(out.text(), "");
    order.add({10, 0}, fd, "a ");
    order.release({20, 0});
    CHECK_EQ(out.text(), "a b ");
    order.release({30, 0});
    CHECK_EQ(out.text(), "d ");
}
