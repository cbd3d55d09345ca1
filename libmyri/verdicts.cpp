// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/verdicts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace myri {

int verdicts_file = -1;

static char own_host[80];

void verdicts_open(const char* path, const char* host, WarningHook hook) {
    if (!*path || verdicts_file >= 0)
        return;
    snprintf(own_host, sizeof own_host, "%s", host);
    verdicts_file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (verdicts_file < 0 && hook) {
        char line[256];
        snprintf(line, sizeof line, "MYRI_TRACE_VERDICTS: %s cannot be opened: %s", path, strerror(errno));
        hook(line);
    }
}

static const char* verdict(const Counters& now, const Counters& before, uint8_t type) {
    if (type == FW_EVENT_BLOCK)
        return now.bad_blocks != before.bad_blocks ? "bad-block" : now.blocks != before.blocks ? "accepted" : "unwanted";
    if (type != FW_EVENT_PACKET)
        return "other";
    if (now.bad_checksum != before.bad_checksum)
        return "mismatch";
    if (now.nacks != before.nacks)
        return "hint";
    if (now.duplicates != before.duplicates)
        return "duplicate";
    if (now.strangers != before.strangers)
        return "unwanted";
    if (now.malformed != before.malformed || now.pushed_back != before.pushed_back)
        return "rejected";
    return "accepted";
}

void verdict_tell(const Endpoint& ep, const fw_event& event, const Counters& before) {
    char line[160];
    const int length = snprintf(line, sizeof line, "%s %u %x %u %s\n", own_host, ep.id, ep.session, ep.event_count,
                                verdict(ep.counters, before, event.type));
    if (write(verdicts_file, line, static_cast<size_t>(length)) != length) {
        close(verdicts_file); // a gap would look like an event that nobody judged
        verdicts_file = -1;
    }
}

} // namespace myri
