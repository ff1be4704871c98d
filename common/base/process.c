/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/process.h"

#include <limits.h>
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

/* The real user. The owner of /proc/PID does not tell: that is root for each process that its user
 * has made undumpable (prctl(2)). The line comes before the long ones. */
static int
read_user(const struct host *host, int pid, uid_t *ret)
{
    char text[512];
    struct path path;
    const char *line;
    unsigned user;
    ssize_t length = path_format(&path, "proc/%d/status", pid);

    if (length == 0)
        length = host->ops->read(host, path.text, text, sizeof(text) - 1);
    if (length < 0)
        return (int)length;
    text[length] = '\0';
    line = strstr(text, "\nUid:");
    if (!line || sscanf(line, "\nUid: %u", &user) != 1)
        return -EBADMSG;
    *ret = user;
    return 0;
}

int
process_program(const struct host *host, int pid, char *name, size_t size, uid_t *user)
{
    static const char deleted[] = " (deleted)"; /* a newer program has its path now */
    char target[PATH_MAX];
    struct path path;
    const char *slash;
    size_t length;
    ssize_t rc = path_format(&path, "proc/%d/exe", pid);

    if (rc == 0)
        rc = host->ops->link(host, path.text, target, sizeof(target));
    if (rc >= 0)
        rc = read_user(host, pid, user);
    if (rc < 0)
        return (int)rc;
    slash = strrchr(target, '/');
    length = strlen(target);
    if (length > strlen(deleted) && !strcmp(target + length - strlen(deleted), deleted))
        target[length - strlen(deleted)] = '\0';
    return snprintf(name, size, "%s", slash ? slash + 1 : target) < (int)size ? 0 : -ENAMETOOLONG;
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
