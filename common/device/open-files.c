/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/open-files.h"
#include "base/array.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

void
open_files_clear(struct open_files *files)
{
    free(files->items);
    *files = (struct open_files){0};
}

/* --- a device, by its number ------------------------------------------------------------------ */

int
node_read(const struct host *host, struct node *ret, const char *format, ...)
{
    struct path directory;
    unsigned major, minor;
    char text[HOST_NUMBER];
    ssize_t length;
    int end = 0;

    *ret = (struct node){0};
    PATH_OR_RETURN(directory, format);
    length = host_read(host, text, sizeof(text), "%s/dev", directory.text);
    if (length < 0)
        return (int)length;
    if (sscanf(text, "%9u:%9u%n", &major, &minor, &end) != 2 || text[end])
        return -EBADMSG;
    ret->number = makedev(major, minor);
    return 0;
}

static bool
node_equal(const struct node *a, const struct node *b)
{
    if (a->number || b->number)
        return a->number == b->number;
    return *a->name && !strcmp(a->name, b->name);
}

/* --- one descriptor --------------------------------------------------------------------------- */

/* A descriptor, a thread or a process that has ended meanwhile. */
static bool
is_gone(ssize_t rc)
{
    return rc == -ENOENT || rc == -ESRCH;
}

/* Whether an error shows that a file is no device. A file system can fail so, and so can AppArmor
 * if the path of a file has more than 8192 bytes. File systems that hold devices do not fail so. */
static bool
is_of_no_device(int rc)
{
    return rc == -EIO || rc == -ESTALE || rc == -ENAMETOOLONG;
}

/* Each refusal of AppArmor's is a line in the log, and a user may have many such files open. So
 * after the first one no long path is asked for any more. */
static bool
is_left_out(const struct host *host, const struct open_files *files, const struct path *link)
{
    char target[PATH_MAX];

    return files->refuses_paths &&
           host->ops->link(host, link->text, target, sizeof(target)) == -ENAMETOOLONG;
}

/* VFIO's node in the text of a link. */
static int
read_text(const struct host *host, const struct path *link, struct node *ret)
{
    char target[PATH_MAX];
    ssize_t length = host->ops->link(host, link->text, target, sizeof(target));
    const char *name = length < 0 ? NULL : strstr(target, "dev/vfio/");

    if (name && strlen(name) < sizeof(ret->name))
        snprintf(ret->name, sizeof(ret->name), "%s", name);
    return length < 0 && length != -ENAMETOOLONG ? (int)length : 0;
}

/* Reads the flags of open(2), in octal. Linux itself writes the first two lines. */
static int
read_flags(const struct host *host, const char *table, const char *fd, unsigned *ret)
{
    char text[4096];
    struct path path;
    const char *line;
    ssize_t length;

    if (path_format(&path, "%sinfo/%s", table, fd) < 0)
        return -ENAMETOOLONG;
    length = host->ops->read(host, path.text, text, sizeof(text) - 1);
    if (length < 0)
        return (int)length;
    text[length] = '\0';
    line = strstr(text, "flags:");
    return line && sscanf(line, "flags: %o", ret) == 1 ? 0 : -EBADMSG;
}

/* Whether a descriptor is more than one of O_PATH: 1, 0 or -errno. A descriptor whose link can be
 * read or written is. With any other link the access mode may be 3, and only the flags tell. A
 * driver may add text to the flags, so they are read last. */
static int
is_open(const struct host *host, const struct path *link, const char *table, const char *fd)
{
    struct stat status;
    unsigned flags = 0;
    int rc = host->ops->status(host, link->text, &status);

    if (rc == 0 && status.st_mode & (S_IRUSR | S_IWUSR))
        return 1;
    if (rc == 0)
        rc = read_flags(host, table, fd, &flags);
    return rc < 0 ? rc : !(flags & O_PATH);
}

/* `table` is a directory such as "proc/12/fd". */
static int
look_at_file(const struct host *host, const char *table, const char *fd, int pid,
             struct open_files *files)
{
    struct open_file file = {.pid = pid};
    struct path link;
    int rc;

    if (path_format(&link, "%s/%s", table, fd) < 0)
        return -ENAMETOOLONG;
    if (is_left_out(host, files, &link))
        return 0;
    rc = host->ops->device(host, link.text, &file.node.number);
    files->refuses_paths |= rc == -ENAMETOOLONG;
    if (rc == -EOPNOTSUPP)
        rc = read_text(host, &link, &file.node);
    else if (rc == 0 && file.node.number)
        rc = is_open(host, &link, table, fd);
    if (rc >= 0 && (rc > 0 || *file.node.name))
        ARRAY_ADD(files->items, files->count, file);
    return is_of_no_device(rc) ? 0 : rc;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Looks at the descriptors of a thread. Returns whether the thread is still there afterwards, and
 * has any. */
static bool
look_at_thread(const struct host *host, const char *table, int pid, struct open_files *files)
{
    AUTO(names_clear) struct names fds = {0}, left = {0};
    int rc = host_list(host, &fds, "%s", table);
    bool is_any_gone = false;

    files->is_blind |= rc < 0 && !is_gone(rc);
    for (size_t i = 0; i < fds.count; i++) {
        rc = look_at_file(host, table, fds.items[i].text, pid, files);
        is_any_gone |= is_gone(rc);
        files->is_blind |= rc < 0 && !is_gone(rc);
    }
    if (is_any_gone)
        return host_list(host, &left, "%s", table) == 0 && left.count > 0;
    return fds.count > 0;
}

static void
look_at_process(const struct host *host, const char *process, struct open_files *files)
{
    AUTO(names_clear) struct names threads = {0};
    struct path table;
    uint64_t pid;
    int rc;

    if (host_parse_number(process, &pid) < 0 || pid > INT_MAX ||
        path_format(&table, "proc/%s/fd", process) < 0 ||
        look_at_thread(host, table.text, (int)pid, files))
        return;
    rc = host_list(host, &threads, "proc/%s/task", process);
    files->is_blind |= rc < 0 && !is_gone(rc);
    for (size_t i = 0; i < threads.count; i++) {
        const char *thread = threads.items[i].text;

        if (strcmp(thread, process) &&
            path_format(&table, "proc/%s/task/%s/fd", process, thread) == 0 &&
            look_at_thread(host, table.text, (int)pid, files))
            return;
    }
}

static void
look(const struct host *host, struct open_files *files)
{
    AUTO(names_clear) struct names processes = {0};

    files->is_made = true;
    files->is_blind = host_list(host, &processes, "proc") < 0;
    for (size_t i = 0; i < processes.count; i++)
        look_at_process(host, processes.items[i].text, files);
}

/* --- the answers ------------------------------------------------------------------------------ */

int
open_files_next(const struct host *host, struct open_files *files, const struct node *node,
                size_t *at)
{
    if (!files->is_made)
        look(host, files);
    while (*at < files->count) {
        const struct open_file *file = &files->items[(*at)++];

        if (node_equal(&file->node, node)) {
            while (*at < files->count && files->items[*at].pid == file->pid)
                (*at)++;
            return file->pid;
        }
    }
    return 0;
}

int
open_files_find(const struct host *host, struct open_files *files, const struct node *node)
{
    size_t at = 0;
    int pid = open_files_next(host, files, node, &at);

    return pid == 0 && files->is_blind ? -EACCES : pid;
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
