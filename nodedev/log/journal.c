/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "log/journal.h"
#include "program/program.h"
#include "log/event.h"

#include <stdint.h>
#include <stdio.h>

#define DIRECTORY  "run/systemd/journal"
#define JOURNALCTL "/usr/bin/journalctl"

bool
journal_exists(const struct host *host)
{
    return host_exists(host, DIRECTORY);
}

/* Only root's lines are read, because any user can write lines under our program's name. */
int
journal_open(const struct host *host, const time_t *since, struct error *error)
{
    char programs[EVENT_SOURCES][64], start[64] = "--boot";
    const char *argv[6 + 3 * EVENT_SOURCES] = {JOURNALCTL, "--quiet", "--no-hostname",
                                               "--output=short-iso", start};
    size_t count = 5;

    if (since)
        snprintf(start, sizeof(start), "--since=@%jd", (intmax_t)*since);
    for (size_t i = 0; i < EVENT_SOURCES; i++) {
        snprintf(programs[i], sizeof(programs[i]), "%s=%s", event_sources[i].field,
                 event_sources[i].program);
        if (i)
            argv[count++] = "+";
        argv[count++] = programs[i];
        argv[count++] = "_UID=0";
    }
    return program_read(host, (char *const *)argv, -1, error);
}
