/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/output.h"
#include "base/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *
refusal_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "it is a directory";
    case S_IFSOCK:
        return "it is a socket";
    case S_IFBLK:
        return "it is a disk";
    default:
        return NULL;
    }
}

/* Our stdout or stderr, if that is this file; else -1. */
static int
find_own(const struct stat *status)
{
    struct stat own;

    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fstat(fd, &own) == 0 && own.st_dev == status->st_dev && own.st_ino == status->st_ino)
            return fd;
    }
    return -1;
}

/* The name of a file that is open, without links. NULL: it has none any more. */
static char *
name_of(int fd, const struct stat *status)
{
    char link[32], name[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, name, sizeof(name));
    return length > 0 && status->st_nlink > 0 ? memory_copy_bytes(name, (size_t)length) : NULL;
}

static int
fail(const struct output *output, int rc, struct error *error)
{
    return error_set(error, rc, "%s: %s", output->path, strerror(-rc));
}

/* Opens a pipe or a device. Only the open must not wait. */
static int
open_other(struct output *output, mode_t mode, struct error *error)
{
    output->fd = open(output->path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (output->fd < 0 && errno == ENXIO && S_ISFIFO(mode))
        return error_set(error, -ENXIO, "%s: nobody reads from this pipe: start the reader first",
                         output->path);
    if (output->fd < 0 || fcntl(output->fd, F_SETFL, 0) < 0)
        return fail(output, -errno, error);
    return 0;
}

static int
open_new(struct output *output, struct error *error)
{
    struct stat status;

    if (lstat(output->path, &status) == 0)
        return error_set(error, -ENOENT, "%s: it is a link that leads nowhere", output->path);
    output->file = memory_copy(output->path);
    return 0;
}

/* The kernel follows the links, because it knows whose links must not be followed
 * (fs.protected_symlinks). */
int
output_open(const char *path, struct output *ret, struct error *error)
{
    AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    int own;

    *ret = OUTPUT_NONE;
    ret->path = path;
    if (fd < 0 && errno == ENOENT)
        return open_new(ret, error);
    if (fd < 0 || fstat(fd, &status) < 0)
        return fail(ret, -errno, error);
    own = find_own(&status);
    if (own >= 0) {
        ret->fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
        return ret->fd < 0 ? fail(ret, -errno, error) : 0;
    }
    if (refusal_of(status.st_mode))
        return error_set(error, -EINVAL, "%s: %s: name a file", path, refusal_of(status.st_mode));
    if (!S_ISREG(status.st_mode))
        return open_other(ret, status.st_mode, error);
    ret->file = name_of(fd, &status);
    return ret->file ? 0 : error_set(error, -ENOENT, "%s: this file has been removed", path);
}

void
output_close(struct output *output)
{
    cleanup_close(&output->fd);
    free(output->file);
    *output = OUTPUT_NONE;
}

static int
write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

static int
replace(const char *file, const char *bytes, size_t length, mode_t mode)
{
    AUTO_FREE char *aside = memory_format("%s.XXXXXX", file);
    int fd = mkostemp(aside, O_CLOEXEC), rc;

    if (fd < 0)
        return -errno;
    rc = fchmod(fd, mode) < 0 ? -errno : write_all(fd, bytes, length);
    /* Some file systems tell only then that they are full. */
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(aside, file) < 0)
        rc = -errno;
    if (rc < 0)
        unlink(aside);
    return rc;
}

int
output_write(const struct output *output, const char *bytes, size_t length, mode_t mode,
             struct error *error)
{
    int rc = output->file ? replace(output->file, bytes, length, mode)
                          : write_all(output->fd, bytes, length);

    return rc < 0 ? fail(output, rc, error) : 0;
}
