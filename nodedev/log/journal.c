/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "log/journal.h"
#include "base/memory.h"
#include "log/event.h"
#include "program/program.h"

#include <unistd.h>

#define DIRECTORY  "run/systemd/journal"
#define JOURNALCTL "/usr/bin/journalctl"

/* Only root's lines are read, because any user can write lines under our program's name. */
FILE *
journal_open(const struct host *host, const char *since, struct error *error)
{
    AUTO_FREE char *start = since ? memory_format("--since=%s", since) : memory_copy("--boot");
    char programs[EVENT_SOURCES][64];
    const char *argv[6 + 3 * EVENT_SOURCES] = {JOURNALCTL, "--quiet", "--no-hostname",
                                               "--output=short-unix", start};
    size_t count = 5;
    FILE *journal;
    int fd;

    if (!host_exists(host, DIRECTORY)) {
        error_set(error, -ENOENT, "systemd's journal does not run on this host");
        error_advise(error, "search the files of its syslog for libvirt-vgpu-hook and vgpuctl");
        return NULL;
    }
    for (size_t i = 0; i < EVENT_SOURCES; i++) {
        snprintf(programs[i], sizeof(programs[i]), "%s=%s", event_sources[i].field,
                 event_sources[i].program);
        if (i)
            argv[count++] = "+";
        argv[count++] = programs[i];
        argv[count++] = "_UID=0";
    }
    fd = program_read(host, (char *const *)argv, error);
    if (fd < 0)
        return NULL;
    journal = fdopen(fd, "r");
    if (!journal) {
        error_set(error, -errno, "cannot read the journal: %m");
        close(fd);
    }
    return journal;
}
