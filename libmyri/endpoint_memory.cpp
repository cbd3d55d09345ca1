// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/endpoint_memory.h"

#include <errno.h>
#include <sys/mman.h>

#include "abi/firmware.h"

namespace myri {

void* map_shared(MapCall map, void* place, size_t bytes, int fd, off_t offset) {
    void* mapped =
        map(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED : 0), fd, offset);
    if (mapped == MAP_FAILED)
        return nullptr;
    if (madvise(mapped, bytes, MADV_DONTFORK) == 0)
        return mapped;
    const int error = errno;
    if (!place)
        munmap(mapped, bytes);
    errno = error;
    return nullptr;
}

void unmap(EndpointMemory& memory) {
    if (memory.window)
        munmap(memory.window, FW_ENDPOINT_WINDOW_SIZE);
    if (memory.rings)
        munmap(memory.rings, memory.ring_bytes);
    memory = EndpointMemory{};
}

} // namespace myri
