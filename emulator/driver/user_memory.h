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
#include "emulator/driver/registered_memory.h"

namespace myri::emulator {

class UserMemory : public RegisteredMemory, public std::enable_shared_from_this<UserMemory> {
public:
    UserMemory(FileDescriptor mem, pid_t pid) : mem_(std::move(mem)), pid_(pid) {}
    // True if `fd` is some process's /proc/.../mem: other files could block the reader or pretend to be memory.
    static bool is_memory(int fd);

    // True if the system lets us look at its mappings and read what is there.
    bool readable() const;

    // (If the process has just ended, the answer means nothing and transfers move nothing.)
    int check(uint64_t address, uint64_t length, bool writable) const override;
    std::shared_ptr<BusRange> pages(uint64_t page, bool writable) override;

    // What the process has unmapped since it registered it, and all of it once it has ended, reads as zeros and
    // swallows stores: on real hardware these would be pinned pages that nobody else can see, so a card that is in
    // the middle of a transfer meets no bus error.
    void read(uint64_t address, std::span<uint8_t> out);
    void write(uint64_t address, std::span<const uint8_t> in);

private:
    FileDescriptor mem_;
    pid_t pid_;
};

} // namespace myri::emulator
