/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/process.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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

/* --- which process has a file locked ---------------------------------------------------------- */

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
