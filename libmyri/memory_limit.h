// SPDX-License-Identifier: BSD-3-Clause
// When the system locks no more memory for this process (RLIMIT_MEMLOCK): what can be done, and what is said.
#pragma once

#include <stddef.h>

namespace myri {

// The other endpoints of the process give back the registrations that nobody uses. True if there was one. Skips an
// endpoint in which a thread is just now.
bool relieve_memory_limit();

// "RLIMIT_MEMLOCK is 65536 bytes (ulimit -l)"
void describe_memory_limit(char* text, size_t room);

} // namespace myri
