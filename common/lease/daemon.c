/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/daemon.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#define MOST_ANCESTORS 32
#define INIT           1

struct ancestors {
    size_t count;
    struct process_status items[MOST_ANCESTORS]; /* the parent first */
};

static void
find_ancestors(const struct host *host, struct ancestors *ret)
{
    int pid = getppid();

    ret->count = 0;
    while (pid > 0 && ret->count < MOST_ANCESTORS &&
           process_look(host, pid, &ret->items[ret->count]) == 0)
        pid = ret->items[ret->count++].parent;
}

static const struct process_status *
find_pid(const struct ancestors *ancestors, uint64_t pid)
{
    for (size_t i = 0; i < ancestors->count; i++) {
        if ((uint64_t)ancestors->items[i].process.pid == pid)
            return &ancestors->items[i];
    }
    return NULL;
}

static const struct process_status *
find_name(const struct ancestors *ancestors)
{
    for (size_t i = 0; i < ancestors->count; i++) {
        const char *name = ancestors->items[i].name;

        if (!strcmp(name, "libvirtd") || !strcmp(name, "virtqemud"))
            return &ancestors->items[i];
    }
    return NULL;
}

/* Whether the daemon has closed its end of our stderr, as it does when it ends. A script between
 * hands us the same pipe. */
static bool
caller_has_ended(const struct host *host)
{
    struct pollfd caller = {.fd = host->caller};

    return poll(&caller, 1, 0) > 0 && caller.revents & POLLERR;
}

static bool
is_alive(const struct host *host, uint64_t pid)
{
    struct process ignored;

    return pid <= INT32_MAX && process_find(host, (int)pid, &ignored) == 0;
}

static struct process
find(const struct host *host, const struct ancestors *ancestors)
{
    const struct process_status *found = NULL;
    uint64_t pid = 0;

    if (host_read_number(host, &pid, "run/libvirt/qemu/driver.pid") == 0)
        found = find_pid(ancestors, pid);
    if (!found)
        found = find_name(ancestors);
    if (found)
        return found->process;
    found = &ancestors->items[0];
    if (found->process.pid == INIT || (found->parent == INIT && is_alive(host, pid)))
        return (struct process){0};
    return found->process;
}

struct process
daemon_find(const struct host *host)
{
    struct ancestors ancestors;

    find_ancestors(host, &ancestors);
    if (ancestors.count == 0 || caller_has_ended(host))
        return (struct process){0};
    return find(host, &ancestors);
}

bool
daemon_may_live(const struct host *host)
{
    struct ancestors ancestors;

    if (caller_has_ended(host))
        return false;
    find_ancestors(host, &ancestors);
    return ancestors.count == 0 || find(host, &ancestors).pid > 0;
}

struct process
daemon_find_by_file(const struct host *host, char *name, size_t size)
{
    static const char *const files[] = {"run/virtqemud.pid", "run/libvirtd.pid",
                                        "run/libvirt/virtqemud.pid", "run/libvirt/libvirtd.pid"};
    struct process process = {0};

    for (size_t i = 0; i < COUNT(files); i++) {
        uint64_t pid;

        if (host_read_number(host, &pid, "%s", files[i]) == 0 && pid < INT32_MAX &&
            host_read(host, name, size, "proc/%d/comm", (int)pid) > 0 &&
            (!strcmp(name, "virtqemud") || !strcmp(name, "libvirtd")) &&
            process_find(host, (int)pid, &process) == 0)
            return process;
    }
    return (struct process){0};
}
