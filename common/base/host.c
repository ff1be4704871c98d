/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/host.h"
#include "base/file-lock.h"
#include "base/safe-open.h"
#include "base/words.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <time.h>

#define NANOSECONDS 1000000000ull /* in a second */

/* Opens a path below root. If root is confined, that is safe even if others exchange names
 * meanwhile. */
static int
open_below(const struct host *host, const char *path, int flags, mode_t mode)
{
    if (host->root < 0) {
        errno = EROFS;
        return -1;
    }
    return host->is_confined ? safe_open_in_root(host->root, path, flags, mode)
                             : openat(host->root, path, flags | O_CLOEXEC, mode);
}

/* Whether what was opened may be read: 0, or -1 and EOPNOTSUPP. */
static int
check_opened(const struct host *host, int fd)
{
    struct stat status;

    if (!host->is_confined)
        return 0;
    if (fstat(fd, &status) < 0)
        return -1;
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return 0;
    errno = EOPNOTSUPP;
    return -1;
}

static int
kernel_open(const struct host *host, const char *path, int flags, mode_t mode)
{
    AUTO_CLOSE int fd =
        open_below(host, path, host->is_confined ? flags | O_NONBLOCK : flags, mode);

    return fd < 0 || check_opened(host, fd) < 0 ? -errno : TAKE_FD(fd);
}

/* As system calls answer: -1 and errno. */
static int
answer(int rc)
{
    if (rc >= 0)
        return rc;
    errno = -rc;
    return -1;
}

int
host_open(const struct host *host, const char *path, int flags, mode_t mode)
{
    return answer(host->ops->open(host, path, flags, mode));
}

/* Opens the link or file itself, below a confined root. -1 and errno. */
static int
open_itself(const struct host *host, const char *path)
{
    return open_below(host, path, O_PATH | O_NOFOLLOW, 0);
}

static int
kernel_status(const struct host *host, const char *path, struct stat *ret)
{
    AUTO_CLOSE int fd = -1;

    if (!host->is_confined)
        return fstatat(host->root, path, ret, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    fd = open_itself(host, path);
    return fd < 0 || fstat(fd, ret) < 0 ? -errno : 0;
}

int
host_status(const struct host *host, const char *path, struct stat *ret)
{
    return answer(host->ops->status(host, path, ret));
}

/* Opens the directory that path is in, below a confined root. *name is path's name in it. -1 and
 * errno. */
static int
open_above(const struct host *host, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    struct path above;

    *name = slash ? slash + 1 : path;
    if (path_format(&above, "%.*s", slash ? (int)(slash - path) : 0, path) == 0)
        return open_below(host, above.text, O_PATH | O_DIRECTORY, 0);
    errno = ENAMETOOLONG;
    return -1;
}

int
host_make_directory(const struct host *host, const char *path)
{
    const char *name = path;
    AUTO_CLOSE int above = host->is_confined ? open_above(host, path, &name) : -1;

    if (host->is_confined && above < 0)
        return -1;
    return mkdirat(above < 0 ? host->root : above, name, 0755);
}

int
host_make_link(const struct host *host, const char *path, const char *target)
{
    if (host->is_confined)
        return -EOPNOTSUPP;
    return symlinkat(target, host->root, path) < 0 ? -errno : 0;
}

int
host_remove(const struct host *host, const char *path)
{
    const char *name = path;
    AUTO_CLOSE int above = host->is_confined ? open_above(host, path, &name) : -1;

    if (host->is_confined && above < 0)
        return -errno;
    return unlinkat(above < 0 ? host->root : above, name, 0) < 0 ? -errno : 0;
}

int
host_replace_link(const struct host *host, const char *path, const char *target)
{
    struct path new;
    int rc = path_format(&new, "%s.new", path);

    /* Such a link is left from a process that was killed here. */
    if (rc == 0)
        rc = host_remove(host, new.text);
    if (rc == 0 || rc == -ENOENT)
        rc = host_make_link(host, new.text, target);
    if (rc < 0)
        return rc;
    return renameat(host->root, new.text, host->root, path) < 0 ? -errno : 0;
}

static ssize_t
kernel_read(const struct host *host, const char *path, char *buffer, size_t size)
{
    AUTO_CLOSE int fd = kernel_open(host, path, O_RDONLY | O_NONBLOCK, 0);
    size_t done = 0;

    if (fd < 0)
        return fd;
    while (done < size) {
        ssize_t got = read(fd, buffer + done, size - done);

        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int
kernel_write(const struct host *host, const char *path, const char *text)
{
    AUTO_CLOSE int fd = kernel_open(host, path, O_WRONLY, 0);

    if (fd < 0)
        return fd;
    return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int
kernel_list(const struct host *host, const char *path, struct words *ret)
{
    return words_read_directory(answer(kernel_open(host, path, O_RDONLY | O_DIRECTORY, 0)), ret);
}

static ssize_t
kernel_link(const struct host *host, const char *path, char *buffer, size_t size)
{
    AUTO_CLOSE int fd = host->is_confined ? open_itself(host, path) : -1;
    ssize_t length;

    if (host->is_confined && fd < 0)
        return -errno;
    length = readlinkat(fd < 0 ? host->root : fd, fd < 0 ? path : "", buffer, size);
    if (length < 0) /* readlinkat says ENOENT of an open file that is no link */
        return fd < 0 ? -errno : -EINVAL;
    if ((size_t)length >= size)
        return -ENAMETOOLONG;
    buffer[length] = '\0';
    return length;
}

/*
 * A file system of FUSE's that is shut to us tells nothing if nothing is asked for: mode 0. It has
 * no device, because only root can mount one that has. Any other file system tells the type and the
 * number of a file in any case. What the server has told before is enough for FUSE, NFS and Ceph.
 */
static int
kernel_device(const struct host *host, const char *path, dev_t *ret)
{
    struct statx status;

    *ret = 0;
    if (host->is_confined)
        return -EOPNOTSUPP;
    if (statx(host->root, path, AT_STATX_DONT_SYNC, 0, &status) < 0)
        return -errno;
    if (S_ISCHR(status.stx_mode))
        *ret = makedev(status.stx_rdev_major, status.stx_rdev_minor);
    return 0;
}

static ssize_t
kernel_label(const struct host *host, const char *path, char *buffer, size_t size)
{
    AUTO_CLOSE int fd = kernel_open(host, path, O_RDONLY | O_NONBLOCK, 0);
    ssize_t length = fd < 0 ? fd : fgetxattr(fd, "security.selinux", buffer, size);

    return fd >= 0 && length < 0 ? -errno : length;
}

static int
kernel_probe(const struct host *host, const char *path)
{
    int fd = open_below(host, path, O_RDWR | O_NONBLOCK, 0);

    return fd < 0 ? -errno : fd;
}

static uint64_t
read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

static uint64_t
kernel_now(const struct host *host)
{
    (void)host;
    return read_clock(CLOCK_BOOTTIME);
}

static uint64_t
kernel_booted(const struct host *host)
{
    uint64_t now = read_clock(CLOCK_REALTIME), up = read_clock(CLOCK_BOOTTIME);

    (void)host;
    return now > up ? now - up : 0;
}

static int
kernel_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    const struct timespec length = {(time_t)(nanoseconds / NANOSECONDS),
                                    (long)(nanoseconds % NANOSECONDS)};
    int rc = ppoll(polls, count, &length, NULL);

    (void)host;
    return rc < 0 ? -errno : rc;
}

static int
kernel_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    (void)host;
    return file_lock(fd, nanoseconds);
}

static bool
kernel_is_locked(const struct host *host, int fd, uint64_t byte)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};

    (void)host;
    return fcntl(fd, F_OFD_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
}

const struct host_ops host_kernel = {
    .read = kernel_read,
    .write = kernel_write,
    .list = kernel_list,
    .link = kernel_link,
    .status = kernel_status,
    .device = kernel_device,
    .open = kernel_open,
    .label = kernel_label,
    .probe = kernel_probe,
    .now = kernel_now,
    .wait = kernel_wait,
    .booted = kernel_booted,
    .lock = kernel_lock,
    .is_locked = kernel_is_locked,
};

int
path_vformat(struct path *ret, const char *format, va_list args)
{
    int length = vsnprintf(ret->text, sizeof(ret->text), format, args);

    return length < 0 || (size_t)length >= sizeof(ret->text) ? -ENAMETOOLONG : 0;
}

int
path_format(struct path *ret, const char *format, ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = path_vformat(ret, format, args);
    va_end(args);
    return rc;
}

ssize_t
host_end_text(char *buffer, size_t size, ssize_t length)
{
    if (length < 0)
        return length;
    if ((size_t)length == size)
        return -E2BIG;
    if (length > 0 && buffer[length - 1] == '\n')
        length--;
    buffer[length] = '\0';
    return length;
}

ssize_t
host_read(const struct host *host, char *buffer, size_t size, const char *format, ...)
{
    struct path path;

    PATH_OR_RETURN(path, format);
    return host_end_text(buffer, size, host->ops->read(host, path.text, buffer, size));
}

int
host_parse_number(const char *text, uint64_t *ret)
{
    unsigned long long number;
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return -EBADMSG;
    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno || *end)
        return -EBADMSG;
    *ret = number;
    return 0;
}

int
host_read_number(const struct host *host, uint64_t *ret, const char *format, ...)
{
    struct path path;
    char text[HOST_NUMBER];
    ssize_t length;

    PATH_OR_RETURN(path, format);
    length =
        host_end_text(text, sizeof(text), host->ops->read(host, path.text, text, sizeof(text)));
    return length < 0 ? (int)length : host_parse_number(text, ret);
}

int
host_list(const struct host *host, struct names *ret, const char *format, ...)
{
    AUTO(words_clear) struct words words = {0};
    struct path path;
    int rc;

    *ret = (struct names){0};
    PATH_OR_RETURN(path, format);
    rc = host->ops->list(host, path.text, &words);
    /* What is no name of the kernel's is left out. */
    for (size_t i = 0; rc == 0 && i < words.count; i++)
        (void)!names_add(ret, words.items[i]);
    names_sort(ret);
    return rc;
}

int
host_list_all(const struct host *host, struct words *ret, const char *format, ...)
{
    struct path path;

    *ret = (struct words){0};
    PATH_OR_RETURN(path, format);
    return host->ops->list(host, path.text, ret);
}

int
host_link(const struct host *host, struct name *ret, const char *format, ...)
{
    struct path path;
    char target[PATH_MAX];
    const char *slash;
    ssize_t length;

    PATH_OR_RETURN(path, format);
    length = host->ops->link(host, path.text, target, sizeof(target));
    if (length < 0)
        return (int)length;
    slash = strrchr(target, '/');
    return name_parse(ret, slash ? slash + 1 : target);
}

/* A context is USER:ROLE:TYPE, and mostly :LEVEL. */
int
host_label(const struct host *host, char *buffer, size_t size, const char *format, ...)
{
    char context[256], *rest = context, *type = NULL;
    struct path path;
    ssize_t length;

    PATH_OR_RETURN(path, format);
    length = host->ops->label(host, path.text, context, sizeof(context) - 1);
    if (length < 0)
        return (int)length;
    context[length] = '\0';
    for (size_t i = 0; i < 3; i++)
        type = strsep(&rest, ":");
    if (!type || !*type)
        return -EBADMSG;
    return snprintf(buffer, size, "%s", type) < (int)size ? 0 : -E2BIG;
}

static int FORMAT(2, 0) find(const struct host *host, const char *format, va_list args)
{
    struct stat status;
    struct path path;
    int rc = path_vformat(&path, format, args);

    if (rc == 0)
        rc = host->ops->status(host, path.text, &status);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    return 1;
}

int
host_find(const struct host *host, const char *format, ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = find(host, format, args);
    va_end(args);
    return rc;
}

bool
host_exists(const struct host *host, const char *format, ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = find(host, format, args);
    va_end(args);
    return rc > 0;
}

uint64_t
host_seconds(const struct host *host)
{
    return host->ops->now(host) / NANOSECONDS;
}

uint64_t
host_uptime(const struct host *host)
{
    return host->ops->now(host) / (NANOSECONDS / 1000);
}
