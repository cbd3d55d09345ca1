// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <initializer_list>

namespace myri {

namespace {

const VariableRow rows[] = {
    {"MX_ZOMBIE_SEND", "bool", "1", "eager sends complete before they are acknowledged"},
    {"MX_RCACHE", "number", "1",
     "keep memory registered between large messages (2: the caller hooks free())"},
    {"MX_DISABLE_SHMEM", "bool", "0", "send to endpoints of the same machine over the network"},
    {"MX_DISABLE_SELF", "bool", "0", "send to the own endpoint over the network"},
    {"MX_MONOTHREAD", "bool", "0", "no progress thread"},
    {"MX_CSUM", "bool", "1", "end-to-end checksum over every message"},
    {"MX_ERRORS_ARE_FATAL", "bool", "1", "the default error handler ends the program"},
    {"MX_MAX_RETRIES", "number", "1000", "give a send up after so many times 0.5 s"},
    {"MX_IMM_ACK", "number", "4", "acknowledge at once when so many messages wait for it"},
    {"MX_VERBOSE", "number", "0", "report what the library repairs"},
    {"MX_BONDING", "number", "0", "accepted for old programs, without effect"},
    {"MX_NO_MYRINET", "bool", "0", "accepted for old programs, without effect"},
    {"MX_FW_ACK", "number", "0", "accepted for old programs, without effect"},
    {"MX_PIPELINE_LOG", "number", "0", "accepted for old programs, without effect"},
    {"MYRI_FABRIC", "text", "", "socket of the emulated fabric to attach to"},
    {"MYRI_HOST", "text", "", "name of the emulated host to be"},
    {"MYRI_DATA", "text", "", "folder of the emulator's data files"},
    {"MYRI_BOUNCE", "bool", "0", "keep the emulator out of this process's memory: large messages are copied"},
    {"MYRI_TRACE_VERDICTS", "text", "", "file for what became of each event; for tests"},
};

const VariableRow* find_row(const char* name, size_t length) {
    for (const VariableRow& row : rows)
        if (strlen(row.name) == length && memcmp(row.name, name, length) == 0)
            return &row;
    return nullptr;
}

const char* value_of(const char* const* environment, const char* name) {
    const size_t length = strlen(name);
    for (; environment && *environment; ++environment)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return nullptr;
}

bool parse_number(const char* text, uint32_t& value) {
    if (*text < '0' || *text > '9')
        return false;
    char* end;
    errno = 0;
    const unsigned long long v = strtoull(text, &end, 0);
    if (errno || *end || v > 0xffffffffULL)
        return false;
    value = static_cast<uint32_t>(v);
    return true;
}

struct Reader {
    const char* const* environment;
    WarningHook hook;

    uint32_t number(const char* name) const {
        const VariableRow* row = find_row(name, strlen(name));
        uint32_t value = 0;
        parse_number(row->default_value, value);
        const char* text = value_of(environment, name);
        if (text && *text && !parse_number(text, value) && hook) {
            char line[256];
            snprintf(line, sizeof line, "environment variable %s is \"%s\": a number is wanted, %s is used",
                     name, text, row->default_value);
            hook(line);
        }
        return value;
    }
    bool flag(const char* name) const { return number(name) != 0; }

    void text(const char* name, char* to, size_t size) const {
        const char* value = value_of(environment, name);
        to[0] = 0;
        if (!value)
            return;
        if (strlen(value) >= size) {
            if (hook) {
                char line[256];
                snprintf(line, sizeof line, "environment variable %s is longer than %zu characters: ignored",
                         name, size - 1);
                hook(line);
            }
            return;
        }
        snprintf(to, size, "%s", value);
    }
};

// Names without effect that MPICH, BMI and LIGO set themselves: their users cannot do anything about them.
bool well_known_mistake(const char* name, size_t length) {
    for (const char* mistake : {"MX_DISABLE_SHARED", "MX_ZOMBIE", "MX_FATAL_ERRORS"})
        if (strlen(mistake) == length && memcmp(mistake, name, length) == 0)
            return true;
    return false;
}

void warn_of_unknown(const char* const* environment, WarningHook hook) {
    for (; hook && environment && *environment; ++environment) {
        const char* entry = *environment;
        const char* equals = strchr(entry, '=');
        if (!equals || (strncmp(entry, "MX_", 3) != 0 && strncmp(entry, "MYRI_", 5) != 0))
            continue;
        const auto length = static_cast<size_t>(equals - entry);
        if (find_row(entry, length) || well_known_mistake(entry, length))
            continue;
        char line[256];
        snprintf(line, sizeof line,
                 "environment variable %.*s is not known (mx_info -e lists the known ones)",
                 static_cast<int>(equals - entry), entry);
        hook(line);
    }
}

} // namespace

const VariableRow* environment_row(unsigned index) {
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : nullptr;
}

Options parse_environment(const char* const* environment, WarningHook hook) {
    const Reader reader{environment, hook};
    Options o{};
    o.zombie_send = reader.flag("MX_ZOMBIE_SEND");
    o.registration_cache = reader.number("MX_RCACHE");
    o.disable_self = reader.flag("MX_DISABLE_SELF");
    o.monothread = reader.flag("MX_MONOTHREAD");
    o.checksum = reader.flag("MX_CSUM");
    o.errors_are_fatal = reader.flag("MX_ERRORS_ARE_FATAL");
    o.max_retries = reader.number("MX_MAX_RETRIES");
    o.immediate_ack = reader.number("MX_IMM_ACK");
    o.verbose = reader.number("MX_VERBOSE");
    reader.text("MYRI_FABRIC", o.fabric, sizeof o.fabric);
    reader.text("MYRI_HOST", o.host, sizeof o.host);
    o.bounce = reader.flag("MYRI_BOUNCE");
    reader.text("MYRI_TRACE_VERDICTS", o.trace_verdicts, sizeof o.trace_verdicts);
    warn_of_unknown(environment, hook);
    return o;
}

Options read_environment(WarningHook hook) {
    static bool warned = false;
    const Options o = parse_environment(environ, warned ? nullptr : hook);
    warned = true;
    return o;
}

} // namespace myri
