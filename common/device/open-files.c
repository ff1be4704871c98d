/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/open-files.h"
#include "base/array.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void
open_files_clear(struct open_files *files)
{
    free(files->items);
    *files = (struct open_files){0};
}

/* The node of a card of NVIDIA's, as "dev/nvidia0"; NULL: the target is none. */
static const char *
find_nvidias(const char *target)
{
    static const char prefix[] = "dev/nvidia";
    const char *node = strstr(target, prefix);
    const char *number = node ? node + strlen(prefix) : "";

    return *number && number[strspn(number, "0123456789")] == '\0' ? node : NULL;
}

static void
add_target(struct open_files *files, const char *target, int pid)
{
    const char *vfio = strstr(target, "dev/vfio/"), *node = vfio ? vfio : find_nvidias(target);
    struct open_file file = {.pid = pid};

    if (!node || strlen(node) >= sizeof(file.node))
        return;
    snprintf(file.node, sizeof(file.node), "%s", node);
    ARRAY_ADD(files->items, files->count, file);
}

/* A process that has ended meanwhile has nothing open. */
static bool
is_gone(ssize_t rc)
{
    return rc == -ENOENT || rc == -ESRCH;
}

static void
look_at(const struct host *host, const char *pid, struct open_files *files)
{
    AUTO(names_clear) struct names fds = {0};
    int rc = host_list(host, &fds, "proc/%s/fd", pid);
    uint64_t number;

    files->is_blind |= rc < 0 && !is_gone(rc);
    for (size_t i = 0; rc == 0 && i < fds.count; i++) {
        char target[PATH_MAX];
        struct path path;
        ssize_t length = path_format(&path, "proc/%s/fd/%s", pid, fds.items[i].text);

        if (length == 0)
            length = host->ops->link(host, path.text, target, sizeof(target));
        if (length > 0 && host_parse_number(pid, &number) == 0 && number <= INT_MAX)
            add_target(files, target, (int)number);
        files->is_blind |= length < 0 && !is_gone(length);
    }
}

void
open_files_read(const struct host *host, struct open_files *ret)
{
    AUTO(names_clear) struct names processes = {0};

    *ret = (struct open_files){.is_blind = host_list(host, &processes, "proc") < 0};
    for (size_t i = 0; i < processes.count; i++) {
        const char *pid = processes.items[i].text;

        if (strspn(pid, "0123456789") == strlen(pid))
            look_at(host, pid, ret);
    }
}

int
open_files_find(const struct open_files *files, const char *node)
{
    const struct open_file *file =
        ARRAY_FIND(files->items, files->count, item, !strcmp(item->node, node));

    if (file)
        return file->pid;
    return files->is_blind ? -EACCES : 0;
}

void
open_files_name(const struct host *host, int pid, char *text, size_t size)
{
    char name[64];

    if (host_read(host, name, sizeof(name), "proc/%d/comm", pid) > 0)
        snprintf(text, size, "%d (%s)", pid, name);
    else
        snprintf(text, size, "%d", pid);
}
