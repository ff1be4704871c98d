/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/process.h"

#include <stdio.h>
#include <string.h>

/* Field 2 is the name in parentheses. It may hold anything, so it ends with the last ')'. Fields 3
 * and 4 are the state and the parent, 22 is the start time. */
int
process_look(const struct host *host, int pid, struct process_status *ret)
{
    char text[1024];
    char *name, *end;
    unsigned long long start;
    char state;
    ssize_t length = host_read(host, text, sizeof(text), "proc/%d/stat", pid);

    if (length < 0)
        return (int)length;
    name = strchr(text, '(');
    end = strrchr(text, ')');
    if (!name || !end ||
        sscanf(end + 1,
               " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &state, &ret->parent, &start) != 3)
        return -EBADMSG;
    if (state == 'Z' || state == 'X')
        return -ESRCH;
    *end = '\0';
    snprintf(ret->name, sizeof(ret->name), "%s", name + 1);
    ret->process = (struct process){pid, start};
    return 0;
}

int
process_find(const struct host *host, int pid, struct process *ret)
{
    struct process_status status;
    int rc = process_look(host, pid, &status);

    if (rc == 0)
        *ret = status.process;
    return rc;
}

bool
process_alive(const struct host *host, struct process process)
{
    struct process now = {0};
    int rc = process.pid > 0 ? process_find(host, process.pid, &now) : -ESRCH;

    /* If that is not known, it counts as alive, so that its leases are left alone. */
    return rc == 0 ? now.start == process.start : rc != -ENOENT && rc != -ESRCH;
}

bool
process_same(struct process a, struct process b)
{
    return a.pid == b.pid && a.start == b.start;
}
