// SPDX-License-Identifier: BSD-3-Clause
// When the system locks no more memory for this process (RLIMIT_MEMLOCK): what can be done, and what is said.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace myri {

// The other endpoints of the process give back the registrations that nobody uses. True if there was one. Skips an
// endpoint in which a thread is just now.
bool relieve_memory_limit();

// How long a window of a message should be, so that two of them and some more fit under a limit of so many bytes: a
// multiple of WIRE_BLOCK_SIZE up to FW_WINDOW_MAX.
uint32_t window_bytes_under(uint64_t limit);
uint64_t memory_limit(); // ~0: none

// "RLIMIT_MEMLOCK is 65536 bytes (ulimit -l)"
void describe_memory_limit(char* text, size_t room);

} // namespace myri
