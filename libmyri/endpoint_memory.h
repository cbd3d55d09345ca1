// SPDX-License-Identifier: BSD-3-Clause
// What opening an endpoint maps into the process, whoever maps it.
//
// Concepts: the window is the card's memory, the rings are memory that the card reads and writes. A forked
// child inherits neither: it must not find its parent's rings, nor make them copy-on-write.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/driver.h"

namespace myri {

struct EndpointMemory {
    uint8_t* window = nullptr; // FW_ENDPOINT_WINDOW_SIZE bytes; nullptr in virtual time
    uint8_t* rings = nullptr;
    size_t ring_bytes = 0;
    myri_host_page* page = nullptr; // in the rings
};

// mmap, or what a test has instead.
using MapCall = void* (*)(void* at, size_t bytes, int protection, int flags, int fd, off_t offset);

// Shared, to read and write, not inherited; at `place`, which must be reserved, or anywhere (nullptr).
// nullptr with errno.
void* map_shared(MapCall map, void* place, size_t bytes, int fd, off_t offset);

void unmap(EndpointMemory& memory);

} // namespace myri
