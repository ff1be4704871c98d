/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/process.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Field 3 is the state, 22 the start time; field 2 may hold anything, so count from its last ')'.
 */
static int
read_start(const struct host *host, int pid, uint64_t *ret)
{
    char text[1024];
    const char *field;
    unsigned long long start;
    char state;
    ssize_t length = host_read(host, text, sizeof(text), "proc/%d/stat", pid);

    if (length < 0)
        return (int)length;
    field = strrchr(text, ')');
    if (!field ||
        sscanf(field + 1,
               " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &state, &start) != 2)
        return -EBADMSG;
    if (state == 'Z' || state == 'X')
        return -ESRCH;
    *ret = start;
    return 0;
}

int
process_find(const struct host *host, int pid, struct process *ret)
{
    *ret = (struct process){.pid = pid};
    return read_start(host, pid, &ret->start);
}

struct process
process_parent(const struct host *host)
{
    struct process parent = {.pid = getppid()};
    struct pollfd caller = {.fd = host->caller};

    if (read_start(host, parent.pid, &parent.start) < 0)
        return (struct process){0};
    /* If our caller had ended before we looked, its end of the pipe is closed, and our parent is
     * init or another process that has adopted us. */
    if (poll(&caller, 1, 0) > 0 && caller.revents & POLLERR)
        return (struct process){0};
    return parent;
}

bool
process_alive(const struct host *host, struct process process)
{
    uint64_t start = 0;
    int rc = process.pid > 0 ? read_start(host, process.pid, &start) : -ESRCH;

    /* If it is not known, it counts as alive: then its leases are left alone. */
    return rc == 0 ? start == process.start : rc != -ENOENT && rc != -ESRCH;
}

bool
process_same(struct process a, struct process b)
{
    return a.pid == b.pid && a.start == b.start;
}
