// SPDX-License-Identifier: BSD-3-Clause
//
// A client's memory, reached through the /proc/self/mem descriptor that it has passed.
//
// The descriptor stays bound to the address space it was opened in: once that is gone (exit, exec), transfers move
// 0 bytes. It overrides page protection, so access is checked against /proc/PID/maps when memory is registered.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "emulator/driver/file_descriptor.h"
#include "emulator/host/bus_map.h"

namespace myri::emulator {

class UserMemory {
public:
    UserMemory(FileDescriptor mem, pid_t pid) : mem_(std::move(mem)), pid_(pid) {}
    // True if `fd` is some process's /proc/.../mem: other files could block the reader or pretend to be memory.
    static bool is_memory(int fd);

    // 0, or -EFAULT: a part is not mapped, not readable or (if asked) not writable. -EPERM: the system does not let
    // us look. (If the process has just ended, the answer means nothing and transfers move nothing.)
    int check(uint64_t address, uint64_t length, bool writable) const;

    // What the process has unmapped since it registered it, and all of it once it has ended, reads as zeros and
    // swallows stores: on real hardware these would be pinned pages that nobody else can see, so a card that is in
    // the middle of a transfer meets no bus error.
    void read(uint64_t address, std::span<uint8_t> out);
    void write(uint64_t address, std::span<const uint8_t> in);

private:
    FileDescriptor mem_;
    pid_t pid_;
};

// Whole pages of a client's memory on the bus: bus offset 0 is `page`.
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

} // namespace myri::emulator
