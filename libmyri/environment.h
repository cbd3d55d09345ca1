// SPDX-License-Identifier: BSD-3-Clause
// The environment variables that the library knows: one table, for the library, `mx_info -e` and the manual
// page.
//
// Concepts: variables are read when mx_init runs, into Options; nothing else calls getenv. A value of the
// wrong type or an unknown MX_*/MYRI_* name is reported once through the warning hook, and the default holds.
#pragma once

#include <stdint.h>

namespace myri {

struct VariableRow {
    const char* name;
    const char* type; // "bool", "number" or "text"
    const char* default_value;
    const char* help;
};

// nullptr behind the last one.
const VariableRow* environment_row(unsigned index);

struct Options {
    bool zombie_send;
    uint32_t registration_cache;
    bool disable_self;
    bool monothread;
    bool checksum;
    bool errors_are_fatal;
    uint32_t max_retries;
    uint32_t immediate_ack;
    uint32_t verbose;
    char fabric[108]; // path of the emulator's socket, or empty
    char host[80];    // name of the emulated host, or empty
    bool bounce;
    char trace_verdicts[108]; // file, or empty
};

using WarningHook = void (*)(const char* text);

// Reads the process's environment. Warns through `hook`, each thing once per process.
Options read_environment(WarningHook hook);

// The same from a given NULL-terminated list of "NAME=value" texts and without the memory of earlier
// warnings.
Options parse_environment(const char* const* environment, WarningHook hook);

} // namespace myri
