// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C (Castagnoli), the checksum of RFC 3720, by the processor's instruction where there is one.
//
// Concepts: values chain, crc32c(crc32c(0, a), b) == crc32c(0, a followed by b). Both ways give the same
// results; which one is used is decided once. Safe from any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace myri {

uint32_t crc32c(uint32_t crc, const void* data, size_t length);

// Copies and checks in one pass over the source.
uint32_t crc32c_copy(uint32_t crc, void* to, const void* from, size_t length);

// The way without the instruction; for tests and other processors.
uint32_t crc32c_portable(uint32_t crc, const void* data, size_t length);
bool crc32c_has_instruction();

} // namespace myri
