// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/user_memory.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace myri::emulator {
namespace {

class UserRange : public BusRange {
public:
    UserRange(std::shared_ptr<UserMemory> memory, uint64_t page, bool writable)
        : memory_(std::move(memory)), page_(page), writable_(writable) {}
    bool read(Time, uint64_t offset, std::span<uint8_t> out) override {
        memory_->read(page_ + offset, out);
        return true;
    }
    bool write(Time, uint64_t offset, std::span<const uint8_t> in) override {
        if (writable_)
            memory_->write(page_ + offset, in);
        return writable_;
    }
    bool message_data() const override { return true; }

private:
    std::shared_ptr<UserMemory> memory_;
    uint64_t page_;
    bool writable_;
};

// A line of /proc/PID/maps. False: it is none.
struct Mapping {
    uint64_t low = 0, high = 0;
    char rights[5] = "";
    bool parse(const std::string& line) {
        return std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &low, &high, rights) == 3;
    }
};

} // namespace

bool UserMemory::is_memory(int fd) {
    struct statfs file_system;
    if (fstatfs(fd, &file_system) != 0 || file_system.f_type != PROC_SUPER_MAGIC)
        return false;
    char target[64];
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t length = readlink(link.c_str(), target, sizeof target);
    const std::string name(target, length > 0 ? static_cast<size_t>(length) : 0);
    return name.ends_with("/mem");
}

bool UserMemory::readable() const {
    std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
    Mapping m;
    for (std::string line; std::getline(maps, line);)
        if (uint8_t byte; m.parse(line) && m.rights[0] == 'r' && m.rights[1] == 'w')
            return pread(mem_.get(), &byte, 1, static_cast<off_t>(m.low)) == 1;
    return false;
}

std::shared_ptr<BusRange> UserMemory::pages(uint64_t page, bool writable) {
    return std::make_shared<UserRange>(shared_from_this(), page, writable);
}

int UserMemory::check(uint64_t address, uint64_t length, bool writable) const {
    if (address + length < address)
        return -EFAULT;
    std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
    if (!maps)
        return -EPERM;
    uint64_t next = address; // everything below it is good
    const uint64_t end = address + length;
    for (std::string line; next < end && std::getline(maps, line);) {
        Mapping m;
        if (!m.parse(line) || m.high <= next)
            continue;
        if (m.low > next || m.rights[0] != 'r' || (writable && m.rights[1] != 'w'))
            return -EFAULT;
        next = m.high;
    }
    return next >= end ? 0 : -EFAULT;
}

void UserMemory::read(uint64_t address, std::span<uint8_t> out) {
    const ssize_t got = pread(mem_.get(), out.data(), out.size(), static_cast<off_t>(address));
    if (got < static_cast<ssize_t>(out.size()))
        std::fill(out.begin() + std::max<ssize_t>(got, 0), out.end(), uint8_t{0});
}

void UserMemory::write(uint64_t address, std::span<const uint8_t> in) {
    if (pwrite(mem_.get(), in.data(), in.size(), static_cast<off_t>(address)) < 0) {
        // Nobody is there who could miss it.
    }
}

} // namespace myri::emulator
