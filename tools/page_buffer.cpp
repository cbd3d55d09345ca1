// SPDX-License-Identifier: BSD-3-Clause
#include "tools/page_buffer.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>

#include <fmt/format.h>

#include "tools/failure.h"

namespace myri::tools {

PageBuffer::PageBuffer(uint32_t bytes) : bytes_(bytes) {
    if (bytes == 0)
        return;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    // MADV_POPULATE_WRITE reports missing memory as an error; without it (before Linux 5.14) the kernel kills.
    if (memory != MAP_FAILED && madvise(memory, bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
        int error = errno;
        munmap(memory, bytes);
        errno = error;
        memory = MAP_FAILED;
    }
    if (memory == MAP_FAILED)
        throw Failure(fmt::format("no memory for a buffer of {} bytes: {}", bytes, std::strerror(errno)));
    data_ = static_cast<uint8_t*>(memory);
}

PageBuffer::~PageBuffer() {
    if (data_)
        munmap(data_, bytes_);
}

} // namespace myri::tools
