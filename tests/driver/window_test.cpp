// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "emulator/driver/user_memory.h"
#include "emulator/driver/window_table.h"

using namespace myri::emulator;

namespace {

constexpr uint64_t PAGE = 4096;

std::shared_ptr<UserMemory> own_memory() {
    FileDescriptor mem(open("/proc/self/mem", O_RDWR | O_CLOEXEC));
    REQUIRE(UserMemory::is_memory(mem.get()));
    return std::make_shared<UserMemory>(std::move(mem), getpid());
}

// Whole pages of our own.
struct Pages {
    uint8_t* at;
    size_t bytes;
    explicit Pages(size_t count, int rights = PROT_READ | PROT_WRITE) : bytes(count * PAGE) {
        at = static_cast<uint8_t*>(mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        REQUIRE(at != MAP_FAILED);
    }
    ~Pages() { munmap(at, bytes); }
    myri_segment segment(size_t offset, size_t length) const {
        return {reinterpret_cast<uint64_t>(at) + offset, length};
    }
};

struct Table {
    BusMap bus;
    WindowTable table{bus};
    std::shared_ptr<UserMemory> memory = own_memory();
    WindowTable::Added added;
    Table() { bus.set_bus_master(true); }
    int add(std::vector<myri_segment> segments, bool writable = true) {
        return table.add(*memory, segments, writable, added);
    }
    fw_piece piece(uint32_t n) {
        fw_piece p;
        std::vector<uint8_t> bytes(sizeof p);
        REQUIRE(bus.dma_read(0, added.list + n * sizeof p, bytes));
        std::memcpy(&p, bytes.data(), sizeof p);
        return p;
    }
};

} // namespace

TEST_CASE("a window's page list has one piece for each part of a page") {
    Table t;
    const Pages pages(4);
    REQUIRE_EQ(t.add({pages.segment(100, 2 * PAGE)}), 0);
    CHECK_EQ(t.added.length, 2 * PAGE);
    CHECK_EQ(t.added.generation, 1u);
    const uint64_t first = be64_to_cpu(t.piece(0).address);
    CHECK_EQ(first % PAGE, 100u);
    CHECK_EQ(be32_to_cpu(t.piece(0).length), PAGE - 100);
    CHECK_EQ(be64_to_cpu(t.piece(1).address), first - 100 + PAGE);
    CHECK_EQ(be32_to_cpu(t.piece(1).length), PAGE);
    CHECK_EQ(be32_to_cpu(t.piece(2).length), 100u);
    CHECK_EQ(be32_to_cpu(t.piece(3).length), 0u);
}

TEST_CASE("the second block of 32 KiB has its own pieces") {
    Table t;
    const Pages pages(9);
    REQUIRE_EQ(t.add({pages.segment(0, 9 * PAGE)}), 0);
    CHECK_EQ(be32_to_cpu(t.piece(7).length), PAGE);
    CHECK_EQ(be32_to_cpu(t.piece(8).length), 0u);
    CHECK_EQ(be32_to_cpu(t.piece(FW_WINDOW_PIECES).length), PAGE);
    CHECK_EQ(be32_to_cpu(t.piece(FW_WINDOW_PIECES + 1).length), 0u);
}

TEST_CASE("the card reads and writes the process's own memory through a window") {
    Table t;
    const Pages pages(2);
    std::memcpy(pages.at + 200, "hello", 5);
    REQUIRE_EQ(t.add({pages.segment(200, 5)}), 0);
    const uint64_t bus = be64_to_cpu(t.piece(0).address);
    uint8_t bytes[5];
    REQUIRE(t.bus.dma_read(0, bus, bytes));
    CHECK_EQ(std::memcmp(bytes, "hello", 5), 0);
    const uint8_t other[5] = {'w', 'o', 'r', 'l', 'd'};
    REQUIRE(t.bus.dma_write(0, bus, other));
    CHECK_EQ(std::memcmp(pages.at + 200, "world", 5), 0);
}

TEST_CASE("a card that is still at a dead process's memory reads zeros, writes nothing, and meets no bus error") {
    Table t;
    const Pages pages(1);
    pages.at[200] = 7;
    int ready[2], end[2];
    REQUIRE_EQ(pipe(ready), 0);
    REQUIRE_EQ(pipe(end), 0);
    const pid_t child = fork();
    if (child == 0) {
        char byte = 1;
        close(end[1]);
        _exit(write(ready[1], &byte, 1) == 1 && read(end[0], &byte, 1) == 0 ? 0 : 1);
    }
    char byte = 0;
    REQUIRE_EQ(read(ready[0], &byte, 1), 1);
    FileDescriptor mem(open(("/proc/" + std::to_string(child) + "/mem").c_str(), O_RDWR | O_CLOEXEC));
    t.memory = std::make_shared<UserMemory>(std::move(mem), child);
    REQUIRE_EQ(t.add({pages.segment(200, 5)}), 0);
    const uint64_t bus = be64_to_cpu(t.piece(0).address);
    uint8_t bytes[5];
    REQUIRE(t.bus.dma_read(0, bus, bytes));
    CHECK_EQ(bytes[0], 7);
    close(end[1]);
    REQUIRE_EQ(waitpid(child, nullptr, 0), child);
    CHECK(t.bus.dma_write(0, bus, bytes));
    CHECK(t.bus.dma_read(0, bus, bytes));
    CHECK_EQ(bytes[0], 0);
    for (const int fd : {ready[0], ready[1], end[0]})
        close(fd);
}

TEST_CASE("memory that was registered for reading is not written") {
    Table t;
    const Pages pages(1, PROT_READ);
    CHECK_EQ(t.add({pages.segment(0, 8)}, true), -EFAULT);
    REQUIRE_EQ(t.add({pages.segment(0, 8)}, false), 0);
    const uint8_t byte[1] = {1};
    CHECK_FALSE(t.bus.dma_write(0, be64_to_cpu(t.piece(0).address), byte));
    CHECK_EQ(pages.at[0], 0);
}

TEST_CASE("memory that is not there, forbidden or absurd is refused and nothing is left on the bus") {
    Table t;
    const Pages pages(2);
    REQUIRE_EQ(mprotect(pages.at + PAGE, PAGE, PROT_NONE), 0);
    CHECK_EQ(t.add({pages.segment(0, PAGE + 1)}, false), -EFAULT);
    CHECK_EQ(t.add({{0, 8}}, false), -EFAULT);
    CHECK_EQ(t.add({{~uint64_t{0} - 7, 8}}, false), -EFAULT);
    CHECK_EQ(t.add({{~uint64_t{0} - 3, 8}}, false), -EFAULT);
    CHECK_EQ(t.add({pages.segment(0, 0)}, false), -EINVAL);
    CHECK_EQ(t.add({pages.segment(0, FW_WINDOW_MAX + 1)}, false), -E2BIG);
    CHECK_EQ(t.add({pages.segment(0, 8), {0, ~uint64_t{0}}}, false), -E2BIG);
    CHECK_EQ(t.bus.ranges(), 0u);
    CHECK_EQ(t.add({pages.segment(0, PAGE)}, true), 0);
}

TEST_CASE("16 pieces in a block are possible and 17 are not") {
    Table t;
    const Pages pages(1);
    CHECK_EQ(t.add(std::vector<myri_segment>(17, pages.segment(0, 8))), -E2BIG);
    CHECK_EQ(t.bus.ranges(), 0u);
    CHECK_EQ(t.add(std::vector<myri_segment>(16, pages.segment(0, 8))), 0);
    CHECK_EQ(t.bus.ranges(), 17u); // and the page list
}

TEST_CASE("windows run out, come back with another generation, and leave the bus when released") {
    Table t;
    const Pages pages(1);
    for (uint32_t n = 0; n < FW_WINDOWS; n++)
        REQUIRE_EQ(t.add({pages.segment(0, 8)}), 0);
    CHECK_EQ(t.add({pages.segment(0, 8)}), -ENOSPC);
    CHECK_EQ(t.table.retire(5, 2), -EINVAL);
    CHECK_EQ(t.table.retire(FW_WINDOWS, 1), -EINVAL);
    CHECK_EQ(t.table.retire(5, 1), 0);
    CHECK_EQ(t.table.retire(5, 1), -EINVAL);
    CHECK_EQ(t.add({pages.segment(0, 8)}), -ENOSPC); // the card may still use it
    t.table.release(5);
    REQUIRE_EQ(t.add({pages.segment(0, 8)}), 0);
    CHECK_EQ(t.added.window, 5u);
    CHECK_EQ(t.added.generation, 2u);
    t.table.release_all();
    CHECK_EQ(t.bus.ranges(), 0u);
}

TEST_CASE("only /proc's memory files pass for memory") {
    const FileDescriptor file(open("/dev/zero", O_RDWR | O_CLOEXEC)), maps(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
    CHECK_FALSE(UserMemory::is_memory(file.get()));
    CHECK_FALSE(UserMemory::is_memory(maps.get()));
}
