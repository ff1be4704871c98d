/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/open-files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool
ends_in(const char *text, const char *tail)
{
    size_t length = strlen(text), tail_length = strlen(tail);

    return length >= tail_length && !strcmp(text + length - tail_length, tail);
}

/* 1: it has the node open; 0: it has not, or it has ended; -errno: that is not known. */
static int
process_holds(const struct host *host, const char *pid, const char *tail)
{
    AUTO(names_clear) struct names fds = {0};
    int rc = host_list(host, &fds, "proc/%s/fd", pid), blind = 0;

    if (rc < 0)
        return rc == -ENOENT || rc == -ESRCH ? 0 : rc;
    for (size_t i = 0; i < fds.count; i++) {
        char target[PATH_MAX];
        struct path path;
        ssize_t length;

        rc = path_format(&path, "proc/%s/fd/%s", pid, fds.items[i].text);
        if (rc < 0)
            return rc;
        length = host->ops->link(host, path.text, target, sizeof(target));
        if (length > 0 && ends_in(target, tail))
            return 1;
        if (length < 0 && length != -ENOENT && length != -ESRCH)
            blind = (int)length;
    }
    return blind;
}

int
open_files_find(const struct host *host, const char *tail)
{
    AUTO(names_clear) struct names processes = {0};
    int rc = host_list(host, &processes, "proc");
    bool all = true;

    if (rc < 0)
        return -EACCES;
    for (size_t i = 0; i < processes.count; i++) {
        const char *pid = processes.items[i].text;

        if (strspn(pid, "0123456789") != strlen(pid))
            continue;
        rc = process_holds(host, pid, tail);
        if (rc > 0)
            return atoi(pid);
        if (rc < 0)
            all = false;
    }
    return all ? 0 : -EACCES;
}
