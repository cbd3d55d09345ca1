// SPDX-License-Identifier: BSD-3-Clause
//
// SIGINT as a flag, so that a benchmark can stop between two messages and print what it has.
#pragma once

namespace myri::tools {

// The first SIGINT sets the flag, the second one ends the program. To be called once, before any message.
void catch_interrupt();
bool interrupted();
// Throws Interrupted if the flag is set.
void stop_if_interrupted();

} // namespace myri::tools
