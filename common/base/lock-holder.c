/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/lock-holder.h"
#include "base/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The lock that is looked for. */
struct lock {
    const char *name; /* the last component of the file's path */
    const char *kind; /* "FLOCK" or "OFDLCK" */
    dev_t device;
    ino_t inode;
    uint64_t start;
};

/* A line of fdinfo: "lock:	1: FLOCK  ADVISORY  WRITE 812 00:1a:567 0 EOF". Returns the process
 * that took the lock; -1: the kernel does not tell; 0: it is another line. */
static int
taker_in(const char *line, const struct lock *lock)
{
    unsigned major, minor;
    char kind[8];
    uintmax_t inode, start;
    int taker;

    return sscanf(line, "lock: %*d: %7s %*s %*s %d %x:%x:%ju %ju", kind, &taker, &major, &minor,
                  &inode, &start) == 6 &&
                   !strcmp(kind, lock->kind) && makedev(major, minor) == lock->device &&
                   inode == lock->inode && start == lock->start
               ? taker
               : 0;
}

/* The same of a descriptor. The file's name only spares a look at all others: it proves nothing. */
static int
taker_by(const struct host *host, const char *pid, const char *fd, const struct lock *lock)
{
    char text[4096], *rest = text, *line;
    struct name target;
    int taker = 0;

    if (host_link(host, &target, "proc/%s/fd/%s", pid, fd) < 0 ||
        strcmp(target.text, lock->name) != 0 ||
        host_read(host, text, sizeof(text), "proc/%s/fdinfo/%s", pid, fd) < 0)
        return 0;
    while (!taker && (line = strsep(&rest, "\n")))
        taker = taker_in(line, lock);
    return taker;
}

/* The same of a process. */
static int
taker_of(const struct host *host, const char *pid, const struct lock *lock)
{
    AUTO(names_clear) struct names fds = {0};
    int taker = 0;

    if (host_list(host, &fds, "proc/%s/fd", pid) < 0)
        return 0;
    for (size_t i = 0; i < fds.count && !taker; i++)
        taker = taker_by(host, pid, fds.items[i].text, lock);
    return taker;
}

static void
name(const struct host *host, struct lock_holder *holder)
{
    struct process_status status;

    if (process_look(host, holder->pid, &status) == 0)
        snprintf(holder->name, sizeof(holder->name), "%d (%s)", holder->pid, status.name);
    else
        snprintf(holder->name, sizeof(holder->name), "%d", holder->pid);
}

static bool
find(const struct host *host, const struct lock *lock, struct lock_holder *ret)
{
    AUTO(names_clear) struct names processes = {0};
    bool taker_lives = false;

    *ret = (struct lock_holder){.pid = 0};
    if (host_list(host, &processes, "proc") < 0)
        return false;
    for (size_t i = 0; i < processes.count; i++) {
        const char *text = processes.items[i].text;
        uint64_t pid;
        int taker;

        if (host_parse_number(text, &pid) < 0 || !(taker = taker_of(host, text, lock)))
            continue;
        taker_lives |= taker < 0 || (uint64_t)taker == pid;
        if (ret->pid == 0 && pid != (uint64_t)getpid())
            ret->pid = (int)pid;
    }
    if (ret->pid == 0)
        return false;
    ret->is_left = !taker_lives;
    name(host, ret);
    return true;
}

static bool
find_in(const struct host *host, const char *path, struct lock *lock, struct lock_holder *ret)
{
    const char *slash = strrchr(path, '/');
    struct stat status;

    *ret = (struct lock_holder){.pid = 0};
    if (host->ops->status(host, path, &status) < 0)
        return false;
    lock->name = slash ? slash + 1 : path;
    lock->device = status.st_dev;
    lock->inode = status.st_ino;
    return find(host, lock, ret);
}

bool
lock_holder_find(const struct host *host, const char *path, struct lock_holder *ret)
{
    struct lock lock = {.kind = "FLOCK"};

    return find_in(host, path, &lock, ret);
}

bool
lock_holder_find_byte(const struct host *host, const char *path, uint64_t byte,
                      struct lock_holder *ret)
{
    struct lock lock = {.kind = "OFDLCK", .start = byte};

    return find_in(host, path, &lock, ret);
}
