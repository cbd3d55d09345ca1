// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/nic/sram.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace myri::emulator {
namespace {

[[noreturn]] void fail(int error, uint32_t bytes) {
    throw std::system_error(error, std::generic_category(),
                            "card SRAM of " + std::to_string(bytes) + " bytes");
}

} // namespace

Sram::Sram(uint32_t bytes) : fd_(memfd_create("myri-sram", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (fd_ < 0)
        fail(errno, bytes);
    void* base = MAP_FAILED;
    // Sealed: a process that has the descriptor must not be able to shrink it under us.
    if (ftruncate(fd_, bytes) == 0 && fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (base == MAP_FAILED) {
        const int error = errno;
        close(fd_);
        fail(error, bytes);
    }
    bytes_ = {static_cast<uint8_t*>(base), bytes};
}

Sram::~Sram() {
    munmap(bytes_.data(), bytes_.size());
    close(fd_);
}

} // namespace myri::emulator
